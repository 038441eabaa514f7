import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsDestination;
import com.ibm.msg.client.wmq.WMQConstants;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import javax.jms.BytesMessage;
import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.Destination;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;

/**
 * A load of JMS clients in one process, each with a connection and a thread of its own; 2 KiB, non-persistent.
 *
 * <pre>
 * Load PORT publish SUBSCRIBERS SECONDS [PER_SECOND]     one publisher; subscribers that are not durable and read ahead
 * Load PORT request REQUESTERS RESPONDERS SECONDS QUEUE  request and reply; replies are got by their correlation id
 * </pre>
 *
 * It prints one line: "NAME=VALUE ..." with counts per second, the latency in milliseconds (median, 99 %, longest) and
 * what each subscriber or responder has received in all. The first fifth of the time is not measured.
 */
public final class Load {
    static final int SIZE = 2048;
    static final int PATIENCE = 20_000;
    static final AtomicBoolean ENDED = new AtomicBoolean();
    static volatile boolean measured;

    interface Work {
        void run(int number) throws Exception;
    }

    /** Latencies of one thread, in microseconds. */
    static final class Times {
        private int[] values = new int[1 << 16];
        private int count;

        void add(long nanoseconds) {
            if (!measured) {
                return;
            }
            if (count == values.length) {
                values = Arrays.copyOf(values, 2 * count);
            }
            values[count++] = (int) (nanoseconds / 1000);
        }
    }

    public static void main(String[] args) throws Exception {
        Jms.port = Integer.parseInt(args[0]);
        if (args[1].equals("publish")) {
            publish(number(args[2]), number(args[3]), args.length > 4 ? number(args[4]) : 0);
        } else {
            request(number(args[2]), number(args[3]), number(args[4]), args[5]);
        }
        Runtime.getRuntime().halt(0);
    }

    static int number(String text) {
        return Integer.parseInt(text);
    }

    static Session session() throws Exception {
        JmsConnectionFactory factory = Jms.factory();
        factory.setIntProperty(WMQConstants.WMQ_SHARE_CONV_ALLOWED, WMQConstants.WMQ_SHARE_CONV_ALLOWED_YES);
        Connection connection = factory.createConnection();
        connection.start();
        return Jms.session(connection);
    }

    static Thread start(int number, Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run(number);
            } catch (Exception error) {
                if (!ENDED.get()) {
                    error.printStackTrace();
                    Runtime.getRuntime().halt(1);
                }
            }
        });
        thread.start();
        return thread;
    }

    static void measure(int seconds) throws Exception {
        Thread.sleep(seconds * 200L);
        measured = true;
        Thread.sleep(seconds * 800L);
        measured = false;
        ENDED.set(true);
    }

    static void tell(String what, int seconds, List<Times> all, AtomicLongArray each) {
        int total = all.stream().mapToInt(times -> times.count).sum();
        int[] sorted = new int[total];
        int at = 0;
        for (Times times : all) {
            System.arraycopy(times.values, 0, sorted, at, times.count);
            at += times.count;
        }
        Arrays.sort(sorted);
        System.out.printf("%s=%.0f p50=%.2f p99=%.2f longest=%.2f each=%s%n", what, total / (seconds * 0.8),
                share(sorted, 0.5), share(sorted, 0.99), share(sorted, 1), each.toString().replace(" ", ""));
    }

    static double share(int[] sorted, double part) {
        return sorted.length == 0 ? 0 : sorted[Math.min(sorted.length - 1, (int) (sorted.length * part))] / 1000.0;
    }

    static void publish(int subscribers, int seconds, int perSecond) throws Exception {
        AtomicLongArray each = new AtomicLongArray(subscribers);
        List<Times> all = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < subscribers; number++) {
            Session session = session();
            MessageConsumer consumer = session.createConsumer(topic(session));
            Times times = new Times();
            all.add(times);
            threads.add(start(number, mine -> {
                byte[] first = new byte[8];
                while (!ENDED.get()) {
                    Message message = consumer.receive(500);
                    if (message != null) {
                        each.incrementAndGet(mine);
                        ((BytesMessage) message).readBytes(first);
                        times.add(System.nanoTime() - ByteBuffer.wrap(first).getLong());
                    }
                }
            }));
        }
        Session session = session();
        MessageProducer producer = session.createProducer(topic(session));
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        start(0, mine -> {
            byte[] body = new byte[SIZE];
            long began = System.nanoTime();
            for (long sent = 0; !ENDED.get(); sent++) {
                if (perSecond > 0) {
                    while (System.nanoTime() - began < sent * 1_000_000_000L / perSecond) {
                        Thread.sleep(0, 100_000);
                    }
                }
                ByteBuffer.wrap(body).putLong(System.nanoTime());
                BytesMessage message = session.createBytesMessage();
                message.writeBytes(body);
                producer.send(message);
            }
        });
        measure(seconds);
        for (Thread thread : threads) {
            thread.join(PATIENCE);
        }
        tell("deliveries", seconds, all, each);
    }

    static Destination topic(Session session) throws Exception {
        Destination topic = session.createTopic("dev/load");
        ((JmsDestination) topic)
                .setIntProperty(WMQConstants.WMQ_READ_AHEAD_ALLOWED, WMQConstants.WMQ_READ_AHEAD_ALLOWED_ENABLED);
        return topic;
    }

    static void request(int requesters, int responders, int seconds, String name) throws Exception {
        AtomicLongArray each = new AtomicLongArray(responders);
        List<Times> all = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < responders; number++) {
            Session session = session();
            MessageConsumer consumer = session.createConsumer(session.createQueue(name));
            MessageProducer producer = session.createProducer(null);
            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            start(number, mine -> {
                while (true) {
                    Message message = consumer.receive(500);
                    if (message != null) {
                        message.setJMSCorrelationID(message.getJMSMessageID());
                        each.incrementAndGet(mine);
                        producer.send(message.getJMSReplyTo(), message);
                    }
                }
            });
        }
        for (int number = 0; number < requesters; number++) {
            Session session = session();
            Queue replies = session.createQueue("DEV.QUEUE.2");
            MessageProducer producer = session.createProducer(session.createQueue(name));
            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            Times times = new Times();
            all.add(times);
            threads.add(start(number, mine -> {
                byte[] body = new byte[SIZE];
                while (!ENDED.get()) {
                    BytesMessage message = session.createBytesMessage();
                    message.writeBytes(body);
                    message.setJMSReplyTo(replies);
                    long began = System.nanoTime();
                    producer.send(message);
                    String selector = "JMSCorrelationID='" + message.getJMSMessageID() + "'";
                    try (MessageConsumer consumer = session.createConsumer(replies, selector)) {
                        Scenarios.that(consumer.receive(PATIENCE) != null, "no reply has come");
                    }
                    times.add(System.nanoTime() - began);
                }
            }));
        }
        measure(seconds);
        for (Thread thread : threads) {
            thread.join(PATIENCE);
        }
        tell("round_trips", seconds, all, each);
    }
}
