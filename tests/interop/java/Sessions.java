import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.MQConstants;
import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsDestination;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.Destination;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.jms.JMSSecurityException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Session;
import javax.jms.TextMessage;

/**
 * What applications with several threads and sessions do: Sessions PORT [SCENARIO]. They wait for messages through
 * handles that read ahead, close what another thread waits for, and give their password in compatibility mode.
 */
public final class Sessions {
    static final String QUEUE = "DEV.AHEAD";
    /** No receive of these scenarios needs it; one that hangs ends with null, and the scenario has failed. */
    static final int PATIENCE = 20_000;
    static final int[] MODES = {DeliveryMode.NON_PERSISTENT, DeliveryMode.PERSISTENT};
    static final ExecutorService THREADS = Executors.newCachedThreadPool();

    interface Work {
        /** Do it with a destination, which is a queue or a topic, and messages of a delivery mode. */
        void with(Connection connection, Session session, Destination destination, int mode) throws Exception;
    }

    interface Closing {
        void close(Connection connection, Session session, MessageConsumer consumer) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Mqi.port = Jms.port = Integer.parseInt(args[0]);
        Thread watchdog = new Thread(Sessions::endIfItHangs);
        watchdog.setDaemon(true);
        watchdog.start();
        Scenarios scenarios = new Scenarios();
        scenarios.add("oneMore", () -> each(Sessions::oneMore));
        scenarios.add("receiveAfterNull", () -> each(Sessions::receiveAfterNull));
        scenarios.add("waitsAfterNull", () -> each(Sessions::waitsAfterNull));
        scenarios.add("listenerAfterNull", () -> each(Sessions::listenerAfterNull));
        scenarios.add("stopAndStart", () -> each(Sessions::stopAndStart));
        scenarios.add("subscribers", Sessions::subscribers);
        scenarios.add("idleConsumer", Sessions::idleConsumer);
        scenarios.add("competing", Sessions::competing);
        scenarios.add("browseAfterNull", Sessions::browseAfterNull);
        scenarios.add("closeConsumer", () -> closes((connection, session, consumer) -> consumer.close()));
        scenarios.add("closeSession", () -> closes((connection, session, consumer) -> session.close()));
        scenarios.add("closeConnection", () -> closes((connection, session, consumer) -> connection.close()));
        scenarios.add("closeContext", Sessions::closeContext);
        scenarios.add("closeOneOfTwo", Sessions::closeOneOfTwo);
        scenarios.add("compatibilityMode", Sessions::compatibilityMode);
        scenarios.run(args.length > 1 ? args[1] : "");
        System.exit(0);
    }

    /** A close that hangs is not ended by any exception. */
    static void endIfItHangs() {
        try {
            Thread.sleep(10 * PATIENCE);
        } catch (InterruptedException error) {
            return;
        }
        Runtime.getRuntime().halt(1);
    }

    /** A queue that is read ahead, and a topic whose subscribers do so. */
    static Destination[] destinations(Session session) throws Exception {
        Destination topic = session.createTopic("dev/sessions");
        ((JmsDestination) topic)
                .setIntProperty(WMQConstants.WMQ_READ_AHEAD_ALLOWED, WMQConstants.WMQ_READ_AHEAD_ALLOWED_ENABLED);
        return new Destination[] {session.createQueue(QUEUE), topic};
    }

    static void each(Work work) throws Exception {
        try (Connection connection = Jms.factory().createConnection()) {
            connection.start();
            Session session = Jms.session(connection);
            for (int mode : MODES) {
                for (Destination destination : destinations(session)) {
                    work.with(connection, session, destination, mode);
                }
            }
        }
    }

    /** Sends numbered texts, in a session of its own. */
    static final class Sender {
        private final Session session;
        private final MessageProducer producer;

        Sender(Connection connection, Destination destination, int mode) throws Exception {
            session = Jms.session(connection);
            producer = session.createProducer(destination);
            producer.setDeliveryMode(mode);
        }

        void send(int first, int count) throws Exception {
            for (int number = first; number < first + count; number++) {
                producer.send(session.createTextMessage("m" + number));
            }
        }
    }

    static void receive(MessageConsumer consumer, int first, int count) throws Exception {
        for (int number = first; number < first + count; number++) {
            Scenarios.same("m" + number, Jms.textOf(consumer.receive(PATIENCE)));
        }
    }

    static Future<String> received(MessageConsumer consumer) {
        return THREADS.submit(() -> Jms.textOf(consumer.receive()));
    }

    static String result(Future<String> received) throws Exception {
        return received.get(PATIENCE, TimeUnit.MILLISECONDS);
    }

    /** 32 messages are received; the next ones are put when the client has nothing left, one by one. */
    static void oneMore(Connection connection, Session session, Destination destination, int mode) throws Exception {
        MessageConsumer consumer = session.createConsumer(destination);
        Sender sender = new Sender(connection, destination, mode);
        sender.send(0, 32);
        receive(consumer, 0, 32);
        for (int number = 32; number < 40; number++) {
            sender.send(number, 1);
            Scenarios.same("m" + number, result(received(consumer)));
        }
        consumer.close();
    }

    /** A receive that ends without a message is followed by one that must not: the message comes before it. */
    static void receiveAfterNull(Connection connection, Session session, Destination destination, int mode)
            throws Exception {
        MessageConsumer consumer = session.createConsumer(destination);
        Sender sender = new Sender(connection, destination, mode);
        for (int round = 0; round < 3; round++) {
            Scenarios.same(null, consumer.receive(30));
            sender.send(3 * round, 3);
            receive(consumer, 3 * round, 3);
            Scenarios.same(null, consumer.receiveNoWait());
        }
        consumer.close();
    }

    /** The same, and the message comes while it waits. */
    static void waitsAfterNull(Connection connection, Session session, Destination destination, int mode)
            throws Exception {
        MessageConsumer consumer = session.createConsumer(destination);
        Sender sender = new Sender(connection, destination, mode);
        for (int round = 0; round < 3; round++) {
            Scenarios.same(null, consumer.receive(30));
            Future<String> received = received(consumer);
            Thread.sleep(30);
            sender.send(round, 1);
            Scenarios.same("m" + round, result(received));
        }
        consumer.close();
    }

    /** A consumer that has received nothing is given a listener, which is taken from it again. */
    static void listenerAfterNull(Connection connection, Session session, Destination destination, int mode)
            throws Exception {
        MessageConsumer consumer = session.createConsumer(destination);
        Sender sender = new Sender(connection, destination, mode);
        Scenarios.same(null, consumer.receive(30));
        BlockingQueue<Message> heard = new LinkedBlockingQueue<>();
        consumer.setMessageListener(heard::add);
        sender.send(0, 3);
        for (int number = 0; number < 3; number++) {
            Scenarios.same("m" + number, Jms.textOf(heard.poll(PATIENCE, TimeUnit.MILLISECONDS)));
        }
        consumer.setMessageListener(null);
        for (int number = 3; number < 6; number++) {
            sender.send(number, 1);
            Scenarios.same("m" + number, result(received(consumer)));
        }
        consumer.close();
    }

    /** The connection is stopped while a thread receives, and started again. */
    static void stopAndStart(Connection connection, Session session, Destination destination, int mode)
            throws Exception {
        MessageConsumer consumer = session.createConsumer(destination);
        Sender sender = new Sender(connection, destination, mode);
        Future<String> received = THREADS.submit(() -> Jms.textOf(consumer.receive(200)));
        Thread.sleep(30);
        connection.stop();
        connection.start();
        Scenarios.same(null, result(received));
        sender.send(0, 1);
        Scenarios.same("m0", result(received(consumer)));
        consumer.close();
    }

    /** Six subscribers receive everything, in order. */
    static void subscribers() throws Exception {
        int count = 300;
        for (int mode : MODES) {
            List<Future<Integer>> subscribed = new ArrayList<>();
            try (Connection connection = Jms.factory().createConnection()) {
                connection.start();
                Destination topic = null;
                for (int number = 0; number < 6; number++) {
                    Session session = Jms.session(connection);
                    topic = destinations(session)[1];
                    MessageConsumer consumer = session.createConsumer(topic);
                    subscribed.add(THREADS.submit(() -> {
                        receive(consumer, 0, count);
                        return count;
                    }));
                }
                Sender sender = new Sender(connection, topic, mode);
                sender.send(0, count);
                for (Future<Integer> each : subscribed) {
                    Scenarios.same(count, each.get(PATIENCE, TimeUnit.MILLISECONDS));
                }
            }
        }
    }

    /** What is put while a consumer does not receive is there for another one, before and after the first is closed. */
    static void idleConsumer() throws Exception {
        try (Connection connection = Jms.factory().createConnection()) {
            connection.start();
            Session session = Jms.session(connection);
            Session other = Jms.session(connection);
            for (int mode : MODES) {
                Destination queue = session.createQueue(QUEUE);
                Sender sender = new Sender(connection, queue, mode);
                MessageConsumer idle = session.createConsumer(queue);
                Scenarios.same(null, idle.receive(30));
                sender.send(0, 5);
                MessageConsumer second = other.createConsumer(queue);
                receive(second, 0, 5);
                second.close();
                sender.send(5, 1);
                receive(idle, 5, 1);
                sender.send(6, 5);
                idle.close();
                MessageConsumer third = other.createConsumer(queue);
                receive(third, 6, 5);
                Scenarios.same(null, third.receive(30));
                third.close();
            }
        }
    }

    /**
     * Three consumers, of which one is closed in between, get every message once. What is not persistent is read ahead, and
     * lost with its consumer: that one takes first what it was sent. After a null nothing more is sent to it.
     */
    static void competing() throws Exception {
        int count = 120;
        for (int mode : MODES) {
            Set<String> got = new ConcurrentSkipListSet<>();
            Set<String> sent = new TreeSet<>();
            List<Future<Integer>> running = new ArrayList<>();
            try (Connection connection = Jms.factory().createConnection()) {
                connection.start();
                for (int number = 0; number < 3; number++) {
                    int limit = number == 0 ? 10 : count;
                    Session session = Jms.session(connection);
                    MessageConsumer consumer = session.createConsumer(session.createQueue(QUEUE));
                    running.add(THREADS.submit(() -> {
                        int mine = 0;
                        long end = System.nanoTime() + PATIENCE * 1_000_000L;
                        while (got.size() < count && mine < limit && System.nanoTime() < end) {
                            String text = Jms.textOf(consumer.receive(20));
                            if (text != null) {
                                Scenarios.that(got.add(text), text + " was received twice");
                                mine++;
                            }
                        }
                        for (String text; mode == DeliveryMode.NON_PERSISTENT && limit < count;) {
                            text = Jms.textOf(consumer.receiveNoWait());
                            if (text == null) {
                                break;
                            }
                            Scenarios.that(got.add(text), text + " was received twice");
                        }
                        consumer.close();
                        return mine;
                    }));
                }
                Session putting = Jms.session(connection);
                Sender sender = new Sender(connection, putting.createQueue(QUEUE), mode);
                for (int number = 0; number < count; number++) {
                    String text = "m" + number;
                    sent.add(text);
                    sender.send(number, 1);
                }
                for (Future<Integer> each : running) {
                    each.get(PATIENCE + 10_000, TimeUnit.MILLISECONDS);
                }
            }
            sent.removeAll(got);
            Scenarios.same(Set.of(), sent);
        }
    }

    /** A browse that waits has ended without a message; the next one finds what was put meanwhile. */
    static void browseAfterNull() throws Exception {
        MQQueueManager manager = Mqi.manager();
        MQQueue browsing = manager.accessQueue(QUEUE, MQConstants.MQOO_BROWSE | MQConstants.MQOO_READ_AHEAD);
        MQQueue queue = manager.accessQueue(QUEUE, Mqi.BOTH | MQConstants.MQOO_NO_READ_AHEAD);
        int next = MQConstants.MQGMO_BROWSE_NEXT | MQConstants.MQGMO_WAIT;
        Scenarios.same(2033, Mqi.reason(() -> browsing.get(new MQMessage(), Mqi.options(next, 30))));
        for (int number = 0; number < 3; number++) {
            queue.put(Mqi.message("m" + number));
            MQMessage message = new MQMessage();
            browsing.get(message, Mqi.options(next, PATIENCE));
            Scenarios.same("m" + number, Mqi.text(message));
            Scenarios.same(2033, Mqi.reason(() -> browsing.get(new MQMessage(), Mqi.options(next, 30))));
        }
        for (int number = 0; number < 3; number++) {
            MQMessage message = new MQMessage();
            queue.get(message, Mqi.options(MQConstants.MQGMO_NO_SYNCPOINT, 0));
            Scenarios.same("m" + number, Mqi.text(message));
        }
        manager.disconnect();
    }

    /** Another thread is in receive() when it is closed: that returns null, and the close has no error. */
    static void closes(Closing closing) throws Exception {
        for (int kind = 0; kind < 4; kind++) {
            for (boolean afterNull : new boolean[] {false, true}) {
                Connection connection = Jms.factory().createConnection();
                connection.start();
                Session session = connection.createSession(kind == 3, Session.AUTO_ACKNOWLEDGE);
                MessageConsumer consumer = session.createConsumer(
                        kind >= 2 ? session.createQueue(Jms.QUEUE) : destinations(session)[kind]);
                if (afterNull) {
                    Scenarios.same(null, consumer.receive(10));
                }
                Future<String> received = received(consumer);
                Thread.sleep(30); // Most times it waits by then; it need not.
                THREADS.submit(() -> {
                    closing.close(connection, session, consumer);
                    return null;
                }).get(PATIENCE, TimeUnit.MILLISECONDS);
                Scenarios.same(null, result(received));
                connection.close();
            }
        }
    }

    static void closeContext() throws Exception {
        JMSContext context = Jms.factory().createContext();
        JMSConsumer consumer = context.createConsumer(context.createQueue(Jms.QUEUE));
        Future<Boolean> received = THREADS.submit(() -> consumer.receive(10 * PATIENCE) == null);
        Thread.sleep(50);
        THREADS.submit(context::close).get(PATIENCE, TimeUnit.MILLISECONDS);
        Scenarios.same(true, received.get(PATIENCE, TimeUnit.MILLISECONDS));
    }

    /** The other consumer of the session, which is read ahead for, goes on. */
    static void closeOneOfTwo() throws Exception {
        each((connection, session, destination, mode) -> {
            MessageConsumer other = session.createConsumer(destination);
            Scenarios.same(null, other.receive(10));
            MessageConsumer consumer = session.createConsumer(session.createQueue("DEV.QUEUE.2"));
            Future<String> received = received(consumer);
            Thread.sleep(50);
            THREADS.submit(() -> {
                consumer.close();
                return null;
            }).get(PATIENCE, TimeUnit.MILLISECONDS);
            Scenarios.same(null, result(received));
            Sender sender = new Sender(connection, destination, mode);
            for (int number = 0; number < 3; number++) {
                sender.send(number, 1);
                Scenarios.same("m" + number, result(received(other)));
            }
            other.close();
        });
    }

    /** The password comes in the first conversation only; the sessions are of the same user. A wrong one is refused. */
    static void compatibilityMode() throws Exception {
        JmsConnectionFactory factory = Jms.factory();
        factory.setBooleanProperty(WMQConstants.USER_AUTHENTICATION_MQCSP, false);
        try (Connection connection = factory.createConnection()) {
            connection.start();
            for (int number = 0; number < 12; number++) {
                Session session = Jms.session(connection);
                Destination queue = session.createQueue(Jms.QUEUE);
                MessageProducer producer = session.createProducer(queue);
                producer.send(session.createTextMessage("m" + number));
                MessageConsumer consumer = session.createConsumer(queue);
                TextMessage message = (TextMessage) consumer.receive(PATIENCE);
                Scenarios.same("m" + number, message.getText());
                Scenarios.same("app", message.getStringProperty("JMSXUserID").trim());
                consumer.close();
            }
        }
        factory.setStringProperty(WMQConstants.PASSWORD, "wrong");
        try (Connection connection = factory.createConnection()) {
            throw new AssertionError("a wrong password was taken");
        } catch (JMSSecurityException error) {
            Scenarios.that(String.valueOf(error.getCause()).contains("2035"), "expected 2035, not " + error.getCause());
        }
    }
}
