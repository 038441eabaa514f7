import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Message;
import javax.jms.MessageConsumer;
import javax.jms.MessageProducer;
import javax.jms.Queue;
import javax.jms.Session;
import javax.jms.TextMessage;
import javax.jms.TransactionRolledBackException;

/**
 * A client that reconnects by itself: Reconnect PORT. It exchanges messages, says "ready", and does so again with the
 * same sessions, producers and consumers for each line that it reads: "ok", or "FAILED: why". A unit of work is not
 * finished when it says so; the queue manager ends in the middle of it.
 */
public final class Reconnect {
    public static void main(String[] args) throws Exception {
        Jms.port = Integer.parseInt(args[0]);
        JmsConnectionFactory factory = Jms.factory();
        factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_OPTIONS, WMQConstants.WMQ_CLIENT_RECONNECT);
        factory.setIntProperty(WMQConstants.WMQ_CLIENT_RECONNECT_TIMEOUT, 60);
        Connection connection = factory.createConnection();
        Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Session transacted = connection.createSession(true, Session.SESSION_TRANSACTED);
        Session listening = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
        Queue queue = session.createQueue("DEV.QUEUE.1");
        Queue other = session.createQueue("DEV.QUEUE.2");
        MessageProducer producer = session.createProducer(queue);
        MessageProducer toListener = session.createProducer(other);
        MessageProducer committing = transacted.createProducer(queue);
        MessageConsumer consumer = session.createConsumer(queue);
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        listening.createConsumer(other).setMessageListener(message -> heard.add(text(message)));
        connection.start();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        String said = "ready";
        int round = 0;
        do {
            try {
                round++;
                if (round > 1) {
                    unfinished(transacted);
                }
                producer.send(session.createTextMessage("plain " + round));
                Scenarios.same("plain " + round, text(consumer.receive(60_000)));
                committing.send(transacted.createTextMessage("committed " + round));
                transacted.commit();
                Scenarios.same("committed " + round, text(consumer.receive(60_000)));
                toListener.send(session.createTextMessage("heard " + round));
                Scenarios.same("heard " + round, heard.poll(60, TimeUnit.SECONDS));
                committing.send(transacted.createTextMessage("unfinished " + round));
                System.out.println(said);
            } catch (Throwable error) {
                System.out.println("FAILED: " + error + " <- " + error.getCause());
            }
            said = "ok";
        } while (lines.readLine() != null);
        connection.close();
    }

    /** The unit of work was lost with the connection: the commit says so, and the next unit of work is another one. */
    static void unfinished(Session transacted) throws JMSException {
        try {
            transacted.commit();
        } catch (TransactionRolledBackException error) {
            Scenarios.that(String.valueOf(error.getCause()).contains("2003"), "expected 2003, not " + error.getCause());
            return;
        }
        throw new AssertionError("a unit of work that was lost was committed");
    }

    static String text(Message message) {
        try {
            return message == null ? null : ((TextMessage) message).getText();
        } catch (Exception error) {
            return error.toString();
        }
    }
}
