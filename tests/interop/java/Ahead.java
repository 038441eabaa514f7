import com.ibm.mq.MQException;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.MQConstants;
import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.Session;

/**
 * Queues with DEFREADA(YES), and messages of both kinds of persistence: Ahead PORT [SCENARIO]. Each is done on channels
 * with SHARECNV 0, 1 and 10. With "hold" in the place of a scenario, one message is got from each of three queues, by a
 * get, a receive and a listener that does not return; then it says "held", and waits to be killed.
 */
public final class Ahead {
    static final String QUEUE = "DEV.AHEAD";
    static final String[] CHANNELS = {"AHEAD.0", "AHEAD.1", "DEV.APP.SVRCONN"};
    static final int GET = MQConstants.MQGMO_NO_SYNCPOINT | MQConstants.MQGMO_FAIL_IF_QUIESCING;
    static final int WAIT = GET | MQConstants.MQGMO_WAIT;
    /** More than fits into what the client keeps ahead, with a persistent one here and there. */
    static final int MANY = 300;

    interface Work {
        void on(String channel) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Mqi.port = Jms.port = Integer.parseInt(args[0]);
        MQException.log = null;
        String only = args.length > 1 ? args[1] : "";
        if (only.equals("hold")) {
            hold();
        }
        Scenarios scenarios = new Scenarios();
        add(scenarios, "gets", channel -> gets(channel, MANY, 20, WAIT));
        add(scenarios, "getsWithoutWait", channel -> gets(channel, 20, 2, GET));
        add(scenarios, "getsOfPersistentOnes", channel -> gets(channel, 10, 1, WAIT));
        add(scenarios, "getsByCorrelId", Ahead::getsByCorrelId);
        add(scenarios, "longMessages", Ahead::longMessages);
        add(scenarios, "browse", Ahead::browse);
        add(scenarios, "receive", channel -> receive(channel, null));
        add(scenarios, "receiveSelected", channel -> receive(channel, "JMSPriority >= 0"));
        add(scenarios, "listener", channel -> listener(channel, Session.AUTO_ACKNOWLEDGE));
        add(scenarios, "lazyListener", channel -> listener(channel, Session.DUPS_OK_ACKNOWLEDGE));
        add(scenarios, "putMeanwhile", Ahead::putMeanwhile);
        scenarios.run(only);
        System.exit(0);
    }

    static void add(Scenarios scenarios, String name, Work work) {
        scenarios.add(name, () -> {
            for (String channel : CHANNELS) {
                work.on(channel);
            }
        });
    }

    static MQQueue open(MQQueueManager manager, String name) throws MQException {
        return manager.accessQueue(name, Mqi.BOTH | MQConstants.MQOO_BROWSE);
    }

    /** Of `count` messages, each with its number as its text, every `step`th is persistent. */
    static void put(MQQueue queue, int count, int step) throws Exception {
        for (int number = 0; number < count; number++) {
            put(queue, "m" + number, number % step == step - 1);
        }
    }

    static void put(MQQueue queue, String text, boolean persistent) throws Exception {
        MQMessage message = Mqi.message(text);
        message.persistence = persistent ? MQConstants.MQPER_PERSISTENT : MQConstants.MQPER_NOT_PERSISTENT;
        message.correlationId = ("c" + text + " ".repeat(24)).substring(0, 24).getBytes();
        queue.put(message, new MQPutMessageOptions());
    }

    static String got(MQQueue queue, int options) throws Exception {
        MQMessage message = new MQMessage();
        queue.get(message, Mqi.options(options, 20_000));
        return Mqi.text(message);
    }

    static void gets(String channel, int count, int step, int options) throws Exception {
        MQQueueManager manager = Mqi.manager("QM1", channel);
        MQQueue queue = open(manager, QUEUE);
        put(queue, count, step);
        for (int number = 0; number < count; number++) {
            Scenarios.same("m" + number, got(queue, options));
        }
        Scenarios.same(2033, Mqi.reason(() -> got(queue, GET)));
        queue.close();
        manager.disconnect();
    }

    static void getsByCorrelId(String channel) throws Exception {
        MQQueueManager manager = Mqi.manager("QM1", channel);
        MQQueue queue = open(manager, QUEUE);
        put(queue, 6, 2);
        for (int number : new int[] {5, 0, 3, 1, 4, 2}) {
            MQMessage message = new MQMessage();
            message.correlationId = ("cm" + number + " ".repeat(24)).substring(0, 24).getBytes();
            queue.get(message, Mqi.options(WAIT, 20_000));
            Scenarios.same("m" + number, Mqi.text(message));
        }
        queue.close();
        manager.disconnect();
    }

    /** Longer than what the client asks for at first: it asks again. */
    static void longMessages(String channel) throws Exception {
        MQQueueManager manager = Mqi.manager("QM1", channel);
        MQQueue queue = open(manager, QUEUE);
        for (int number = 0; number < 8; number++) {
            put(queue, number + "x".repeat(number * 30_000), number % 3 != 0);
        }
        for (int number = 0; number < 8; number++) {
            Scenarios.same(number + "x".repeat(number * 30_000), got(queue, WAIT));
        }
        queue.close();
        manager.disconnect();
    }

    static void browse(String channel) throws Exception {
        MQQueueManager manager = Mqi.manager("QM1", channel);
        MQQueue queue = open(manager, QUEUE);
        put(queue, MANY, 20);
        for (int number = 0; number < MANY; number++) {
            int where = number == 0 ? MQConstants.MQGMO_BROWSE_FIRST : MQConstants.MQGMO_BROWSE_NEXT;
            Scenarios.same("m" + number, got(queue, where));
        }
        Scenarios.same(2033, Mqi.reason(() -> got(queue, MQConstants.MQGMO_BROWSE_NEXT)));
        queue.close();
        manager.disconnect();
        empty(MANY);
    }

    static void empty(int count) throws Exception {
        MQQueueManager manager = Mqi.manager();
        MQQueue queue = manager.accessQueue(QUEUE, Mqi.BOTH | MQConstants.MQOO_NO_READ_AHEAD);
        for (int number = 0; number < count; number++) {
            Scenarios.same("m" + number, got(queue, GET));
        }
        queue.close();
        manager.disconnect();
    }

    static Connection connect(String channel) throws Exception {
        JmsConnectionFactory factory = Jms.factory();
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, channel);
        return factory.createConnection();
    }

    static void fill(String name, int count, int step) throws Exception {
        MQQueueManager manager = Mqi.manager();
        MQQueue queue = open(manager, name);
        put(queue, count, step);
        queue.close();
        manager.disconnect();
    }

    static void receive(String channel, String selector) throws Exception {
        fill(QUEUE, 12, 3);
        Connection connection = connect(channel);
        Session session = Jms.session(connection);
        MessageConsumer consumer = session.createConsumer(session.createQueue(QUEUE), selector);
        connection.start();
        for (int number = 0; number < 12; number++) {
            Scenarios.same("m" + number, Jms.textOf(consumer.receive(20_000)));
        }
        Scenarios.same(null, consumer.receiveNoWait());
        connection.close();
    }

    static void listener(String channel, int mode) throws Exception {
        fill(QUEUE, MANY, 60);
        Connection connection = connect(channel);
        Session session = connection.createSession(false, mode);
        BlockingQueue<Message> got = new LinkedBlockingQueue<>();
        session.createConsumer(session.createQueue(QUEUE)).setMessageListener(got::add);
        connection.start();
        for (int number = 0; number < MANY; number++) {
            if (number == MANY / 2) {
                connection.stop();
                connection.start();
            }
            Scenarios.same("m" + number, Jms.textOf(got.poll(20, TimeUnit.SECONDS)));
        }
        fill(QUEUE, 10, 2);
        for (int number = 0; number < 10; number++) {
            Scenarios.same("m" + number, Jms.textOf(got.poll(20, TimeUnit.SECONDS)));
        }
        connection.close();
    }

    /** The get waits, and what is put for it is of one kind, then of the other. */
    static void putMeanwhile(String channel) throws Exception {
        MQQueueManager putting = Mqi.manager();
        MQQueue target = open(putting, QUEUE);
        Thread thread = new Thread(() -> {
            try {
                for (int number = 0; number < 40; number++) {
                    put(target, "m" + number, number / 2 % 2 == 1);
                    Thread.sleep(2);
                }
            } catch (Exception error) {
                error.printStackTrace();
            }
        });
        MQQueueManager manager = Mqi.manager("QM1", channel);
        MQQueue queue = open(manager, QUEUE);
        thread.start();
        for (int number = 0; number < 40; number++) {
            Scenarios.same("m" + number, got(queue, WAIT));
        }
        thread.join();
        queue.close();
        manager.disconnect();
        putting.disconnect();
    }

    static void hold() throws Exception {
        for (String name : new String[] {"DEV.AHEAD.GET", "DEV.AHEAD.RECEIVE", "DEV.AHEAD.LISTENER"}) {
            fill(name, 10, 1);
        }
        MQQueueManager manager = Mqi.manager();
        Scenarios.same("m0", got(open(manager, "DEV.AHEAD.GET"), WAIT));
        Connection connection = Jms.factory().createConnection();
        connection.start();
        Session session = Jms.session(connection);
        MessageConsumer consumer = session.createConsumer(session.createQueue("DEV.AHEAD.RECEIVE"));
        Scenarios.same("m0", Jms.textOf(consumer.receive(20_000)));
        CountDownLatch heard = new CountDownLatch(1);
        Session listening = Jms.session(connection);
        listening.createConsumer(listening.createQueue("DEV.AHEAD.LISTENER")).setMessageListener(message -> {
            heard.countDown();
            try {
                Thread.sleep(Long.MAX_VALUE);
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        });
        heard.await();
        System.out.println("held");
        Thread.sleep(Long.MAX_VALUE);
    }
}
