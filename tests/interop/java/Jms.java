import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.jms.JmsXAConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.BytesMessage;
import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSException;
import javax.jms.MapMessage;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageFormatRuntimeException;
import javax.jms.MessageProducer;
import javax.jms.ObjectMessage;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.StreamMessage;
import javax.jms.TemporaryQueue;
import javax.jms.TextMessage;
import javax.jms.Topic;
import javax.jms.XAConnection;
import javax.jms.XASession;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** The IBM MQ classes for JMS against a queue manager: Jms PORT [SCENARIO]. */
public final class Jms {
    static final String QUEUE = "DEV.QUEUE.1";
    static int port;
    /** Techniques for headers and messages, where they are compressed. */
    static int[] compression;

    interface Work {
        void with(Connection connection) throws Exception;
    }

    public static void main(String[] args) {
        port = Integer.parseInt(args[0]);
        Scenarios scenarios = new Scenarios();
        add(scenarios, "text", Jms::text);
        add(scenarios, "context", Jms::context);
        add(scenarios, "receiveBody", Jms::receiveBody);
        add(scenarios, "sizes", Jms::sizes);
        add(scenarios, "repeated", Jms::repeated);
        add(scenarios, "bodies", Jms::bodies);
        add(scenarios, "properties", Jms::properties);
        add(scenarios, "transacted", Jms::transacted);
        add(scenarios, "acknowledge", Jms::acknowledge);
        add(scenarios, "browse", Jms::browse);
        add(scenarios, "listener", Jms::listener);
        add(scenarios, "listeners", Jms::listeners);
        add(scenarios, "transactedListener", Jms::transactedListener);
        add(scenarios, "request", Jms::request);
        add(scenarios, "asynchronous", Jms::asynchronous);
        add(scenarios, "expiry", Jms::expiry);
        add(scenarios, "priority", Jms::priority);
        add(scenarios, "sessions", Jms::sessions);
        add(scenarios, "selector", Jms::selector);
        add(scenarios, "topic", Jms::topic);
        add(scenarios, "topicSelector", Jms::topicSelector);
        add(scenarios, "topicListener", Jms::topicListener);
        add(scenarios, "durable", Jms::durable);
        add(scenarios, "shared", Jms::shared);
        add(scenarios, "sharedDurable", Jms::sharedDurable);
        add(scenarios, "retained", Jms::retained);
        add(scenarios, "temporaryTopic", Jms::temporaryTopic);
        add(scenarios, "xa", Jms::xa);
        add(scenarios, "delay", Jms::delay);
        add(scenarios, "delayTransacted", Jms::delayTransacted);
        add(scenarios, "delayTopic", Jms::delayTopic);
        add(scenarios, "delayRefused", Jms::delayRefused);
        add(scenarios, "delayFull", Jms::delayFull);
        scenarios.run(args.length > 1 ? args[1] : "");
        System.exit(0);
    }

    static void add(Scenarios scenarios, String name, Work work) {
        scenarios.add(name, () -> run(work));
    }

    static void run(Work work) throws Exception {
        Connection connection = factory().createConnection();
        boolean done = false;
        try {
            work.with(connection);
            done = true;
        } finally {
            connection.close();
            if (!done) {
                empty();
            }
        }
    }

    /** What a scenario that failed has left is not found by the next one. */
    static void empty() throws Exception {
        try (JMSContext context = factory().createContext()) {
            for (String name : List.of(QUEUE, "DEV.QUEUE.2", "DEV.SMALL", "DEV.DEAD.LETTER.QUEUE")) {
                try (JMSConsumer consumer = context.createConsumer(context.createQueue(name))) {
                    while (consumer.receiveNoWait() != null) {
                    }
                }
            }
        }
    }

    static JmsConnectionFactory factory() throws JMSException {
        JmsConnectionFactory factory = JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, "127.0.0.1");
        factory.setIntProperty(WMQConstants.WMQ_PORT, port);
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "DEV.APP.SVRCONN");
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, "QM1");
        factory.setStringProperty(WMQConstants.USERID, "app");
        factory.setStringProperty(WMQConstants.PASSWORD, "passw0rd");
        if (compression != null) {
            factory.setObjectProperty(WMQConstants.WMQ_HEADER_COMP, list(compression[0]));
            factory.setObjectProperty(WMQConstants.WMQ_MSG_COMP, list(compression[1]));
        }
        return factory;
    }

    static List<Integer> list(int element) {
        return new ArrayList<>(List.of(element));
    }

    static Session session(Connection connection) throws JMSException {
        return connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
    }

    static String textOf(Message message) throws JMSException {
        return message == null ? null : ((TextMessage) message).getText();
    }

    /**
     * JMSContext, whose producers have no destination of their own: MQPUT1 for each message. The client then looks for a
     * policy of the queue by itself, unless it has opened the queue before.
     */
    static void context(Connection connection) throws Exception {
        try (JMSContext context = factory().createContext(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("queue:///DEV.CONTEXT.QUEUE");
            context.createProducer().send(queue, "its own");
            JMSConsumer consumer = context.createConsumer(queue);
            Scenarios.same("its own", textOf(consumer.receiveNoWait()));
            context.rollback();
            context.createProducer().setProperty("color", "red").send(queue, "one");
            context.commit();
            Message message = consumer.receive(2000);
            Scenarios.same("one", textOf(message));
            Scenarios.same("red", message.getStringProperty("color"));
            context.commit();
        }
        try (JMSContext context = factory().createContext()) {
            Topic topic = context.createTopic("topic://dev/context");
            JMSConsumer consumer = context.createConsumer(topic);
            context.createProducer().send(topic, "published");
            Scenarios.same("published", textOf(consumer.receive(2000)));
        }
    }

    /** The body alone: the client browses the message with a lock, and gets it by its token if the body fits. */
    static void receiveBody(Connection connection) throws Exception {
        try (JMSContext context = factory().createContext()) {
            Queue queue = context.createQueue("queue:///DEV.CONTEXT.QUEUE");
            JMSConsumer consumer = context.createConsumer(queue);
            for (int mode : new int[] {DeliveryMode.PERSISTENT, DeliveryMode.NON_PERSISTENT}) {
                context.createProducer().setDeliveryMode(mode).send(queue, "one").send(queue, "two");
                Scenarios.same("one", consumer.receiveBody(String.class, 2000));
                Scenarios.same("two", consumer.receiveBodyNoWait(String.class));
                Scenarios.same(null, consumer.receiveBodyNoWait(String.class));
                Scenarios.that(!context.createBrowser(queue).getEnumeration().hasMoreElements(), "still there");
            }
            context.createProducer().send(queue, "three");
            try {
                consumer.receiveBody(java.util.Map.class, 2000);
                Scenarios.that(false, "a text was taken for a map");
            } catch (MessageFormatRuntimeException expected) {
                Scenarios.same("three", consumer.receiveBody(String.class, 2000));
            }
        }
        try (JMSContext context = factory().createContext()) {
            Queue queue = context.createQueue("queue:///DEV.CONTEXT.QUEUE");
            Scenarios.same(null, context.createConsumer(queue).receiveNoWait());
        }
    }

    static void text(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        session.createProducer(queue).send(session.createTextMessage("gr\u00fcn \u20ac"));
        connection.start();
        MessageConsumer consumer = session.createConsumer(queue);
        Scenarios.same("gr\u00fcn \u20ac", textOf(consumer.receive(2000)));
        Scenarios.same(null, consumer.receiveNoWait());
        long before = System.currentTimeMillis();
        Scenarios.same(null, consumer.receive(400));
        Scenarios.that(System.currentTimeMillis() - before >= 400, "it did not wait");
    }

    static void sizes(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        MessageProducer producer = session.createProducer(queue);
        connection.start();
        MessageConsumer consumer = session.createConsumer(queue);
        for (int size : new int[] {0, 1, 4095, 4096, 4097, 32000, 32748, 65536, 1 << 20, 4 << 20, 10 << 20}) {
            if (size > Scenarios.LONGEST) {
                break;
            }
            byte[] data = new byte[size];
            new Random(size).nextBytes(data);
            BytesMessage message = session.createBytesMessage();
            message.writeBytes(data);
            producer.send(message);
            BytesMessage got = (BytesMessage) consumer.receive(10000);
            Scenarios.that(got != null, "size " + size + " did not arrive");
            byte[] back = new byte[(int) got.getBodyLength()];
            got.readBytes(back);
            Scenarios.that(Arrays.equals(data, back), "size " + size);
        }
    }

    static void repeated(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        MessageProducer producer = session.createProducer(queue);
        MessageConsumer consumer = session.createConsumer(queue);
        connection.start();
        for (int length : new int[] {1, 50, 5000, 100_001, 1_000_000}) {
            String text = "\u00ab\u00ab abc   xyz".repeat(length / 12 + 1);
            producer.send(session.createTextMessage(text));
            Scenarios.same(text, textOf(consumer.receive(5000)));
        }
    }

    static void bodies(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        MessageProducer producer = session.createProducer(queue);
        connection.start();
        MessageConsumer consumer = session.createConsumer(queue);
        MapMessage map = session.createMapMessage();
        map.setInt("i", 7);
        map.setString("s", "<&>");
        map.setBytes("b", new byte[] {1, 2});
        producer.send(map);
        map = (MapMessage) consumer.receive(2000);
        Scenarios.same(7, map.getInt("i"));
        Scenarios.same("<&>", map.getString("s"));
        StreamMessage stream = session.createStreamMessage();
        stream.writeDouble(2.5);
        stream.writeString("x");
        producer.send(stream);
        stream = (StreamMessage) consumer.receive(2000);
        Scenarios.same(2.5, stream.readDouble());
        Scenarios.same("x", stream.readString());
        ObjectMessage object = session.createObjectMessage(new ArrayList<>(List.of("a", "b")));
        producer.send(object);
        Scenarios.same(List.of("a", "b"), ((ObjectMessage) consumer.receive(2000)).getObject());
        producer.send(session.createMessage());
        Scenarios.that(consumer.receive(2000) != null, "a message without body");
    }

    static void properties(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        MessageProducer producer = session.createProducer(queue);
        connection.start();
        Message sent = session.createTextMessage("x");
        sent.setBooleanProperty("b", true);
        sent.setByteProperty("by", (byte) 3);
        sent.setShortProperty("sh", (short) 4);
        sent.setIntProperty("in", 5);
        sent.setLongProperty("lo", 6L);
        sent.setFloatProperty("fl", 1.5f);
        sent.setDoubleProperty("do", 2.5);
        sent.setStringProperty("st", "v<&>");
        sent.setJMSCorrelationID("correlation");
        sent.setJMSType("type");
        producer.send(sent, DeliveryMode.NON_PERSISTENT, 7, 60000);
        Message got = session.createConsumer(queue).receive(2000);
        Scenarios.same(true, got.getBooleanProperty("b"));
        Scenarios.same((byte) 3, got.getByteProperty("by"));
        Scenarios.same((short) 4, got.getShortProperty("sh"));
        Scenarios.same(5, got.getIntProperty("in"));
        Scenarios.same(6L, got.getLongProperty("lo"));
        Scenarios.same(1.5f, got.getFloatProperty("fl"));
        Scenarios.same(2.5, got.getDoubleProperty("do"));
        Scenarios.same("v<&>", got.getStringProperty("st"));
        Scenarios.same("correlation", got.getJMSCorrelationID());
        Scenarios.same("type", got.getJMSType());
        Scenarios.same(sent.getJMSMessageID(), got.getJMSMessageID());
        Scenarios.same(7, got.getJMSPriority());
        Scenarios.same(DeliveryMode.NON_PERSISTENT, got.getJMSDeliveryMode());
        Scenarios.same("app", got.getStringProperty("JMSXUserID").trim());
    }

    static void transacted(Connection connection) throws Exception {
        Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = session.createQueue(QUEUE);
        MessageProducer producer = session.createProducer(queue);
        connection.start();
        producer.send(session.createTextMessage("1"));
        MessageConsumer consumer = session.createConsumer(queue);
        MessageConsumer other = session(connection).createConsumer(queue);
        Scenarios.same(null, other.receive(300));
        other.close();
        Scenarios.that(session.createBrowser(queue).getEnumeration().hasMoreElements(), "browsed by its own session");
        Scenarios.same("1", textOf(consumer.receive(2000)));
        session.rollback();
        Scenarios.same(null, consumer.receive(300));
        producer.send(session.createTextMessage("1"));
        session.commit();
        Scenarios.same("1", textOf(consumer.receive(2000)));
        session.rollback();
        Message again = consumer.receive(2000);
        Scenarios.that(again.getJMSRedelivered(), "redelivered");
        Scenarios.same(2, again.getIntProperty("JMSXDeliveryCount"));
        session.commit();
        producer.send(session.createTextMessage("2"));
        session.rollback();
        Scenarios.same(null, consumer.receive(300));
    }

    static void acknowledge(Connection connection) throws Exception {
        Session session = connection.createSession(false, Session.CLIENT_ACKNOWLEDGE);
        Queue queue = session.createQueue(QUEUE);
        session.createProducer(queue).send(session.createTextMessage("1"));
        connection.start();
        MessageConsumer consumer = session.createConsumer(queue);
        Scenarios.same("1", textOf(consumer.receive(2000)));
        session.recover();
        Message again = consumer.receive(2000);
        Scenarios.that(again.getJMSRedelivered(), "redelivered");
        again.acknowledge();
        session.recover();
        Scenarios.same(null, consumer.receiveNoWait());
    }

    static void browse(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        MessageProducer producer = session.createProducer(queue);
        char[] filling = new char[20000];
        Arrays.fill(filling, 'x');
        for (int number = 0; number < 5; number++) {
            producer.send(session.createTextMessage(number + new String(filling)));
        }
        connection.start();
        int number = 0;
        Enumeration<?> browsed = session.createBrowser(queue).getEnumeration();
        while (browsed.hasMoreElements()) {
            Scenarios.same(number++ + new String(filling), textOf((Message) browsed.nextElement()));
        }
        Scenarios.same(5, number);
        MessageConsumer consumer = session.createConsumer(queue);
        for (number = 0; number < 5; number++) {
            Scenarios.that(consumer.receive(2000) != null, "message " + number + " is gone");
        }
    }

    static void listener(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        MessageProducer producer = session.createProducer(queue);
        BlockingQueue<Message> got = new LinkedBlockingQueue<>();
        MessageConsumer consumer = session(connection).createConsumer(queue);
        consumer.setMessageListener(got::add);
        connection.start();
        for (int number = 0; number < 50; number++) {
            producer.send(session.createTextMessage("m" + number));
        }
        for (int number = 0; number < 50; number++) {
            Scenarios.same("m" + number, textOf(got.poll(60, TimeUnit.SECONDS)));
        }
        connection.stop();
        producer.send(session.createTextMessage("later"));
        Scenarios.same(null, got.poll(500, TimeUnit.MILLISECONDS));
        connection.start();
        Scenarios.same("later", textOf(got.poll(60, TimeUnit.SECONDS)));
        consumer.close();
    }

    /** Two consumers of one session: a message that one has not seen is not committed with that of the other. */
    static void listeners(Connection connection) throws Exception {
        Session session = session(connection);
        BlockingQueue<String> got = new LinkedBlockingQueue<>();
        Session consuming = session(connection);
        for (int number = 1; number <= 2; number++) {
            Queue queue = session.createQueue("DEV.QUEUE." + number);
            consuming.createConsumer(queue).setMessageListener(message -> {
                try {
                    got.add(textOf(message));
                } catch (JMSException error) {
                    got.add(error.toString());
                }
            });
        }
        connection.start();
        for (int number = 0; number < 20; number++) {
            Queue queue = session.createQueue("DEV.QUEUE." + (1 + number % 2));
            session.createProducer(queue).send(session.createTextMessage("m" + number));
        }
        List<String> all = new ArrayList<>();
        for (int number = 0; number < 20; number++) {
            all.add(String.valueOf(got.poll(60, TimeUnit.SECONDS)));
        }
        for (int number = 0; number < 20; number++) {
            Scenarios.that(all.contains("m" + number), "m" + number + " is missing in " + all);
        }
    }

    static void transactedListener(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        BlockingQueue<Integer> got = new LinkedBlockingQueue<>();
        Session consuming = connection.createSession(true, Session.SESSION_TRANSACTED);
        consuming.createConsumer(queue).setMessageListener(message -> {
            try {
                int count = message.getIntProperty("JMSXDeliveryCount");
                got.add(count);
                if (count < 3) {
                    consuming.rollback();
                } else {
                    consuming.commit();
                }
            } catch (JMSException error) {
                got.add(-1);
            }
        });
        connection.start();
        session.createProducer(queue).send(session.createTextMessage("poison"));
        for (int count = 1; count <= 3; count++) {
            Scenarios.same(count, got.poll(60, TimeUnit.SECONDS));
        }
        Scenarios.same(null, got.poll(300, TimeUnit.MILLISECONDS));
    }

    static void request(Connection connection) throws Exception {
        Session asking = session(connection);
        Session answering = session(connection);
        Queue queue = asking.createQueue(QUEUE);
        TemporaryQueue replies = asking.createTemporaryQueue();
        answering.createConsumer(queue).setMessageListener(message -> {
            try {
                Message reply = answering.createTextMessage(textOf(message) + "!");
                reply.setJMSCorrelationID(message.getJMSMessageID());
                answering.createProducer(message.getJMSReplyTo()).send(reply);
            } catch (JMSException error) {
                error.printStackTrace();
            }
        });
        connection.start();
        MessageProducer producer = asking.createProducer(queue);
        for (int number = 0; number < 20; number++) {
            Message question = asking.createTextMessage("q" + number);
            question.setJMSReplyTo(replies);
            producer.send(question);
            MessageConsumer mine = asking.createConsumer(
                    replies, "JMSCorrelationID='" + question.getJMSMessageID() + "'");
            Scenarios.same("q" + number + "!", textOf(mine.receive(5000)));
            mine.close();
        }
        replies.delete();
    }

    static void asynchronous(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue("queue:///" + QUEUE + "?putAsyncAllowed=1&readAheadAllowed=1");
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        connection.start();
        for (int number = 0; number < 500; number++) {
            producer.send(session.createTextMessage("m" + number));
        }
        MessageConsumer consumer = session.createConsumer(queue);
        for (int number = 0; number < 500; number++) {
            Scenarios.same("m" + number, textOf(consumer.receive(5000)));
        }
    }

    static void expiry(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        MessageProducer producer = session.createProducer(queue);
        producer.setTimeToLive(200);
        producer.send(session.createTextMessage("short"));
        Thread.sleep(500);
        connection.start();
        Scenarios.same(null, session.createConsumer(queue).receiveNoWait());
    }

    static void priority(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        MessageProducer producer = session.createProducer(queue);
        for (int priority : new int[] {1, 9, 5}) {
            producer.send(session.createTextMessage("p" + priority), DeliveryMode.PERSISTENT, priority, 0);
        }
        connection.start();
        MessageConsumer consumer = session.createConsumer(queue);
        for (int priority : new int[] {9, 5, 1}) {
            Scenarios.same("p" + priority, textOf(consumer.receive(2000)));
        }
    }

    /** More sessions than conversations fit on one socket. */
    static void sessions(Connection connection) throws Exception {
        List<Session> sessions = new ArrayList<>();
        for (int number = 0; number < 25; number++) {
            sessions.add(session(connection));
        }
        connection.start();
        for (Session session : sessions) {
            Queue queue = session.createQueue(QUEUE);
            session.createProducer(queue).send(session.createTextMessage("x"));
            MessageConsumer consumer = session.createConsumer(queue);
            Scenarios.same("x", textOf(consumer.receive(2000)));
            consumer.close();
        }
    }

    static void selector(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        MessageProducer producer = session.createProducer(queue);
        for (int number = 0; number < 6; number++) {
            Message message = session.createTextMessage("m" + number);
            message.setIntProperty("number", number);
            message.setStringProperty("colour", number % 2 == 0 ? "red" : "blue");
            producer.send(message, DeliveryMode.NON_PERSISTENT, number, 0);
        }
        connection.start();
        MessageConsumer blue = session.createConsumer(queue, "colour = 'blue' AND number BETWEEN 2 AND 4");
        Scenarios.same("m3", textOf(blue.receive(2000)));
        Scenarios.same(null, blue.receiveNoWait());
        Enumeration<?> high = session.createBrowser(queue, "JMSPriority > 3").getEnumeration();
        Scenarios.same("m5", textOf((Message) high.nextElement()));
        Scenarios.same("m4", textOf((Message) high.nextElement()));
        Scenarios.that(!high.hasMoreElements(), "two have a high priority");
        blue.close();
        MessageConsumer rest = session.createConsumer(queue);
        for (String expected : new String[] {"m5", "m4", "m2", "m1", "m0"}) {
            Scenarios.same(expected, textOf(rest.receive(2000)));
        }
        try {
            session.createConsumer(queue, "colour = = 1");
            throw new AssertionError("a selector that is none was accepted");
        } catch (JMSException expected) {
            Scenarios.that(expected instanceof javax.jms.InvalidSelectorException, expected.toString());
        }
    }

    static final long DELAY = 2000;

    /** Not before its time, the time is the same at both ends, and messages without a delay pass it. */
    static void delay(Connection connection) throws Exception {
        Session session = session(connection);
        Queue queue = session.createQueue(QUEUE);
        MessageConsumer consumer = session.createConsumer(queue);
        connection.start();
        MessageProducer producer = session.createProducer(queue);
        producer.setDeliveryDelay(DELAY);
        producer.setTimeToLive(60_000);
        TextMessage later = session.createTextMessage("later");
        later.setStringProperty("colour", "red");
        later.setJMSCorrelationID("of mine");
        long before = System.currentTimeMillis();
        producer.send(later);
        Scenarios.that(later.getJMSDeliveryTime() >= before + DELAY, "delivery time " + later.getJMSDeliveryTime());
        producer.setDeliveryDelay(0);
        producer.send(session.createTextMessage("now"));
        Scenarios.same("now", textOf(consumer.receive(2000)));
        Message got = consumer.receive(60_000);
        long after = System.currentTimeMillis();
        Scenarios.same("later", textOf(got));
        Scenarios.that(after >= later.getJMSDeliveryTime(), "it came " + (later.getJMSDeliveryTime() - after) + " ms early");
        Scenarios.same(later.getJMSDeliveryTime(), got.getJMSDeliveryTime());
        Scenarios.same(later.getJMSMessageID(), got.getJMSMessageID());
        Scenarios.same(later.getJMSTimestamp(), got.getJMSTimestamp());
        Scenarios.same(later.getJMSExpiration(), got.getJMSExpiration());
        Scenarios.same("of mine", got.getJMSCorrelationID());
        Scenarios.same("red", got.getStringProperty("colour"));
        Scenarios.same(DeliveryMode.PERSISTENT, got.getJMSDeliveryMode());
        try (JMSContext context = factory().createContext()) {
            byte[] large = new byte[Math.min(200_000, Scenarios.LONGEST / 2)];
            context.createProducer().setDeliveryDelay(DELAY).setDeliveryMode(DeliveryMode.NON_PERSISTENT).send(queue, large);
            Scenarios.same(null, consumer.receiveNoWait());
            Scenarios.same(large.length, consumer.receive(60_000).getBody(byte[].class).length);
        }
    }

    /** Nothing comes of what is rolled back, nor before the commit; the delay counts from the send. */
    static void delayTransacted(Connection connection) throws Exception {
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        Queue queue = transacted.createQueue(QUEUE);
        MessageConsumer consumer = session(connection).createConsumer(queue);
        connection.start();
        MessageProducer producer = transacted.createProducer(queue);
        producer.setDeliveryDelay(DELAY);
        producer.send(transacted.createTextMessage("rolled back"));
        transacted.rollback();
        TextMessage sent = transacted.createTextMessage("committed");
        producer.send(sent);
        Scenarios.same(null, consumer.receive(DELAY + 200));
        long before = System.currentTimeMillis();
        transacted.commit();
        Message got = consumer.receive(60_000);
        long waited = System.currentTimeMillis() - before;
        Scenarios.same("committed", textOf(got));
        Scenarios.same(sent.getJMSDeliveryTime(), got.getJMSDeliveryTime());
        Scenarios.that(sent.getJMSDeliveryTime() < before, "its time had come before the commit");
        Scenarios.that(waited < 60_000, "it came " + waited + " ms after the commit");
        Scenarios.same(null, consumer.receiveNoWait());
    }

    static void delayTopic(Connection connection) throws Exception {
        Session session = session(connection);
        Topic topic = session.createTopic("delayed/news");
        MessageConsumer early = session.createConsumer(session.createTopic("delayed/#"));
        connection.start();
        MessageProducer producer = session.createProducer(topic);
        producer.setDeliveryDelay(DELAY);
        Message sent = session.createTextMessage("news");
        producer.send(sent);
        MessageConsumer inBetween = session.createConsumer(topic);
        Scenarios.same(null, early.receiveNoWait());
        for (MessageConsumer consumer : List.of(early, inBetween)) {
            Message got = consumer.receive(60_000);
            Scenarios.same("news", textOf(got));
            Scenarios.same("topic://delayed/news", got.getJMSDestination().toString());
            Scenarios.same(sent.getJMSDeliveryTime(), got.getJMSDeliveryTime());
        }
    }

    /** What IBM's documentation says cannot be had together, and a destination that the user may not use. */
    static void delayRefused(Connection connection) throws Exception {
        Session session = session(connection);
        MessageProducer producer = session.createProducer(session.createQueue(QUEUE));
        producer.setTimeToLive(100);
        refused("time to live", () -> {
            producer.setDeliveryDelay(DELAY);
            producer.send(session.createTextMessage("old before it is there"));
        });
        MessageProducer publisher = session.createProducer(session.createTopic("delayed/retained"));
        publisher.setDeliveryDelay(DELAY);
        Message kept = session.createTextMessage("kept");
        kept.setIntProperty("JMS_IBM_Retain", 1);
        refused("retained", () -> publisher.send(kept));
        MessageProducer other = session.createProducer(session.createQueue("DEV.QUEUE.2"));
        other.setDeliveryDelay(DELAY);
        Message grouped = session.createTextMessage("one of many");
        grouped.setStringProperty("JMSXGroupID", "many");
        grouped.setIntProperty("JMSXGroupSeq", 1);
        refused("group", () -> other.send(grouped));
        try (JMSContext context = factory().createContext()) {
            Queue forbidden = context.createQueue("SYSTEM.ADMIN.COMMAND.QUEUE");
            refused("2035", () -> context.createProducer().setDeliveryDelay(DELAY).send(forbidden, "no"));
        }
        connection.start();
        Scenarios.same(null, session.createConsumer(session.createQueue(QUEUE)).receive(DELAY));
    }

    static void refused(String why, Scenarios.Body body) {
        StringBuilder said = new StringBuilder();
        try {
            body.run();
        } catch (Exception error) {
            for (Throwable cause = error; cause != null; cause = cause.getCause()) {
                said.append(cause).append(" <- ");
            }
        }
        Scenarios.that(said.toString().contains(why), "refused because of " + why + "? It said: " + said);
    }

    /** A queue that is full when the time has come: the message is on the dead-letter queue. */
    static void delayFull(Connection connection) throws Exception {
        Session session = session(connection);
        Queue small = session.createQueue("DEV.SMALL");
        MessageProducer producer = session.createProducer(small);
        producer.send(session.createTextMessage("first"));
        producer.setDeliveryDelay(DELAY);
        producer.send(session.createTextMessage("second"));
        connection.start();
        MessageConsumer dead = session.createConsumer(session.createQueue("DEV.DEAD.LETTER.QUEUE"));
        Message got = dead.receive(60_000);
        Scenarios.that(got != null, "nothing on the dead-letter queue");
        Scenarios.same("MQDEAD  ", got.getStringProperty("JMS_IBM_Format"));
        byte[] data = new byte[(int) ((BytesMessage) got).getBodyLength()];
        ((BytesMessage) got).readBytes(data);
        String text = new String(data, java.nio.charset.StandardCharsets.ISO_8859_1);
        Scenarios.that(text.startsWith("DLH ") && text.contains("DEV.SMALL"), text);
        Scenarios.that(text.endsWith("second"), text);
        Scenarios.same("first", textOf(session.createConsumer(small).receive(2000)));
    }

    static void topic(Connection connection) throws Exception {
        Session session = session(connection);
        MessageConsumer one = session.createConsumer(session.createTopic("sport/football/results"));
        MessageConsumer all = session.createConsumer(session.createTopic("sport/#"));
        MessageConsumer level = session.createConsumer(session.createTopic("sport/+/results"));
        MessageConsumer other = session.createConsumer(session.createTopic("sport/tennis/results"));
        connection.start();
        Message sent = session.createTextMessage("2:1");
        sent.setStringProperty("home", "us");
        session.createProducer(session.createTopic("sport/football/results")).send(sent);
        for (MessageConsumer consumer : List.of(one, all, level)) {
            Message got = consumer.receive(2000);
            Scenarios.same("2:1", textOf(got));
            Scenarios.same("us", got.getStringProperty("home"));
            Scenarios.same("topic://sport/football/results", got.getJMSDestination().toString());
        }
        Scenarios.same(null, other.receive(200));
    }

    static void topicSelector(Connection connection) throws Exception {
        Session session = session(connection);
        Topic topic = session.createTopic("prices");
        MessageConsumer dear = session.createConsumer(topic, "price > 10");
        connection.start();
        MessageProducer producer = session.createProducer(topic);
        for (int price : new int[] {5, 15, 8, 20}) {
            Message message = session.createTextMessage("" + price);
            message.setIntProperty("price", price);
            producer.send(message);
        }
        Scenarios.same("15", textOf(dear.receive(2000)));
        Scenarios.same("20", textOf(dear.receive(2000)));
        Scenarios.same(null, dear.receive(200));
    }

    static void topicListener(Connection connection) throws Exception {
        Session session = session(connection);
        Topic topic = session.createTopic("listened");
        BlockingQueue<Message> got = new LinkedBlockingQueue<>();
        session(connection).createConsumer(topic).setMessageListener(got::add);
        connection.start();
        MessageProducer producer = session.createProducer(topic);
        for (int number = 0; number < 20; number++) {
            producer.send(session.createTextMessage("m" + number));
        }
        for (int number = 0; number < 20; number++) {
            Scenarios.same("m" + number, textOf(got.poll(60, TimeUnit.SECONDS)));
        }
    }

    static void durable(Connection unused) throws Exception {
        Connection connection = factory().createConnection();
        connection.setClientID("interop");
        try {
            Session session = session(connection);
            Topic topic = session.createTopic("durable/topic");
            session.createDurableSubscriber(topic, "mine").close();
            session.createProducer(topic).send(session.createTextMessage("while away"));
            connection.start();
            MessageConsumer back = session.createDurableSubscriber(topic, "mine");
            Scenarios.same("while away", textOf(back.receive(2000)));
            back.close();
            session.unsubscribe("mine");
            session.createProducer(topic).send(session.createTextMessage("too late"));
            back = session.createDurableSubscriber(topic, "mine");
            Scenarios.same(null, back.receive(200));
            back.close();
            session.unsubscribe("mine");
            try {
                session.unsubscribe("mine");
                throw new AssertionError("there is nothing to end");
            } catch (JMSException expected) {
                Scenarios.that(expected instanceof javax.jms.InvalidDestinationException, expected.toString());
            }
        } finally {
            connection.close();
        }
    }

    static void shared(Connection connection) throws Exception {
        Session session = session(connection);
        Topic topic = session.createTopic("shared/topic");
        MessageConsumer first = session(connection).createSharedConsumer(topic, "team");
        MessageConsumer second = session(connection).createSharedConsumer(topic, "team");
        connection.start();
        MessageProducer producer = session.createProducer(topic);
        for (int number = 0; number < 10; number++) {
            producer.send(session.createTextMessage("m" + number));
        }
        List<String> got = new ArrayList<>();
        for (int number = 0; number < 5; number++) {
            got.add(textOf(first.receive(2000)));
            got.add(textOf(second.receive(2000)));
        }
        for (int number = 0; number < 10; number++) {
            Scenarios.that(got.contains("m" + number), "m" + number + " is missing in " + got);
        }
        Scenarios.same(null, first.receive(200));
    }

    static void sharedDurable(Connection connection) throws Exception {
        Session session = session(connection);
        Topic topic = session.createTopic("shared/durable");
        MessageConsumer first = session(connection).createSharedDurableConsumer(topic, "crew");
        MessageConsumer second = session(connection).createSharedDurableConsumer(topic, "crew");
        connection.start();
        session.createProducer(topic).send(session.createTextMessage("1"));
        Message got = first.receive(1000);
        Scenarios.same("1", textOf(got != null ? got : second.receive(1000)));
        first.close();
        second.close();
        session.createProducer(topic).send(session.createTextMessage("2"));
        first = session.createSharedDurableConsumer(topic, "crew");
        Scenarios.same("2", textOf(first.receive(2000)));
        first.close();
        session.unsubscribe("crew");
    }

    static void retained(Connection connection) throws Exception {
        Session session = session(connection);
        Topic topic = session.createTopic("retained/topic");
        Message message = session.createTextMessage("last known");
        message.setIntProperty(WMQConstants.JMS_IBM_RETAIN, WMQConstants.RETAIN_PUBLICATION);
        session.createProducer(topic).send(message);
        connection.start();
        Message got = session.createConsumer(topic).receive(2000);
        Scenarios.same("last known", textOf(got));
    }

    static void temporaryTopic(Connection connection) throws Exception {
        Session session = session(connection);
        javax.jms.TemporaryTopic topic = session.createTemporaryTopic();
        MessageConsumer consumer = session.createConsumer(topic);
        connection.start();
        session.createProducer(topic).send(session.createTextMessage("x"));
        Scenarios.same("x", textOf(consumer.receive(2000)));
        consumer.close();
        topic.delete();
    }

    /** The name of a branch of a global transaction. */
    record Branch(byte[] getGlobalTransactionId, byte[] getBranchQualifier) implements Xid {
        static Branch named(String name) {
            return new Branch(name.getBytes(), "branch".getBytes());
        }

        @Override
        public int getFormatId() {
            return 0x464c;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return getGlobalTransactionId;
        }

        @Override
        public byte[] getBranchQualifier() {
            return getBranchQualifier;
        }
    }

    static void xa(Connection plain) throws Exception {
        JmsXAConnectionFactory factory =
                JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createXAConnectionFactory();
        for (Object name : List.of(WMQConstants.WMQ_HOST_NAME, WMQConstants.WMQ_CHANNEL, WMQConstants.WMQ_QUEUE_MANAGER)) {
            factory.setStringProperty((String) name, factory().getStringProperty((String) name));
        }
        factory.setIntProperty(WMQConstants.WMQ_PORT, port);
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        XAConnection connection = factory.createXAConnection("app", "passw0rd");
        connection.start();
        plain.start();
        try {
            XASession session = connection.createXASession();
            XAResource resource = session.getXAResource();
            Queue queue = session.createQueue(QUEUE);
            MessageConsumer outside = session(plain).createConsumer(queue);
            Xid first = Branch.named("first");
            resource.start(first, XAResource.TMNOFLAGS);
            session.createProducer(queue).send(session.createTextMessage("in a branch"));
            resource.end(first, XAResource.TMSUCCESS);
            Scenarios.same(XAResource.XA_OK, resource.prepare(first));
            Scenarios.same(null, outside.receive(200));
            Xid[] doubtful = resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN);
            Scenarios.same(1, doubtful.length);
            Scenarios.same("first", new String(doubtful[0].getGlobalTransactionId()));
            resource.commit(first, false);
            Xid second = Branch.named("second");
            resource.start(second, XAResource.TMNOFLAGS);
            MessageConsumer inside = session.createConsumer(queue);
            Scenarios.same("in a branch", textOf(inside.receive(2000)));
            inside.close();
            resource.end(second, XAResource.TMSUCCESS);
            resource.rollback(second);
            Message again = outside.receive(2000);
            Scenarios.that(again.getJMSRedelivered(), "rolled back");
            Xid third = Branch.named("third");
            resource.start(third, XAResource.TMNOFLAGS);
            session.createProducer(queue).send(session.createTextMessage("one phase"));
            resource.end(third, XAResource.TMSUCCESS);
            resource.commit(third, true);
            Scenarios.same("one phase", textOf(outside.receive(2000)));
            try {
                resource.commit(Branch.named("unknown"), false);
                throw new AssertionError("there is no such branch");
            } catch (XAException expected) {
                Scenarios.same(XAException.XAER_NOTA, expected.errorCode);
            }
        } finally {
            connection.close();
        }
    }
}
