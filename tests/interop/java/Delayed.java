import javax.jms.Connection;
import javax.jms.DeliveryMode;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.TextMessage;
import javax.jms.Topic;

/**
 * Messages with a delivery delay and a queue manager that ends meanwhile. Delayed PORT send DELAY: sends, and prints
 * the delivery time. Delayed PORT receive TIME: receives what was sent, and prints "ok", or "FAILED: why".
 */
public final class Delayed {
    public static void main(String[] args) throws Exception {
        Jms.port = Integer.parseInt(args[0]);
        long number = Long.parseLong(args[2]);
        Connection connection = Jms.factory().createConnection();
        connection.setClientID("delayed");
        try {
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            if (args[1].equals("send")) {
                System.out.println(send(session, number));
            } else {
                connection.start();
                receive(session, number);
                System.out.println("ok");
            }
        } catch (Throwable error) {
            System.out.println("FAILED: " + error + " <- " + error.getCause());
        } finally {
            connection.close();
        }
    }

    static long send(Session session, long delay) throws Exception {
        Queue queue = session.createQueue("DEV.QUEUE.1");
        Topic topic = session.createTopic("dev/delayed");
        session.createDurableSubscriber(topic, "late").close();
        MessageProducer producer = session.createProducer(null);
        producer.setDeliveryDelay(delay);
        TextMessage kept = session.createTextMessage("kept");
        producer.send(queue, kept);
        producer.send(topic, session.createTextMessage("published"));
        producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
        producer.send(queue, session.createTextMessage("not persistent"));
        return kept.getJMSDeliveryTime();
    }

    static void receive(Session session, long time) throws Exception {
        MessageConsumer consumer = session.createConsumer(session.createQueue("DEV.QUEUE.1"));
        TextMessage kept = (TextMessage) consumer.receive(30_000);
        long late = System.currentTimeMillis() - time;
        Scenarios.that(kept != null, "nothing came");
        Scenarios.that(late >= 0, "it came " + -late + " ms early");
        Scenarios.same("kept", kept.getText());
        Scenarios.same(time, kept.getJMSDeliveryTime());
        MessageConsumer subscriber = session.createDurableSubscriber(session.createTopic("dev/delayed"), "late");
        Scenarios.same("published", ((TextMessage) subscriber.receive(30_000)).getText());
        Scenarios.same(null, subscriber.receiveNoWait());
        Scenarios.same(null, consumer.receiveNoWait());
    }
}
