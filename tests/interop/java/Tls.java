import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import javax.jms.Connection;
import javax.jms.JMSException;
import javax.jms.Queue;
import javax.jms.Session;

/** The IBM MQ classes for JMS over TLS: Tls PORT [SCENARIO]. Trust store and key store are given as system properties. */
public final class Tls {
    public static void main(String[] args) {
        Jms.port = Integer.parseInt(args[0]);
        Scenarios scenarios = new Scenarios();
        scenarios.add("tls13", () -> work("TLS.ANY", "TLS_AES_256_GCM_SHA384"));
        scenarios.add("tls12", () -> work("TLS.ANY", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"));
        scenarios.add("oneSuite", () -> work("TLS.ONE", "TLS_AES_256_GCM_SHA384"));
        scenarios.add("certificate", () -> work("TLS.CERT", "TLS_AES_128_GCM_SHA256"));
        scenarios.add("certificateOfTheChannel", () -> shown("TLS.OWN", "orders"));
        scenarios.add("certificateOfTheQueueManager", () -> shown("TLS.ANY", "QM1"));
        scenarios.add("otherSuite", () -> refused("TLS.ONE", "TLS_AES_128_GCM_SHA256"));
        scenarios.add("otherName", () -> refused("TLS.PEER", "TLS_AES_128_GCM_SHA256"));
        scenarios.add("channelWithout", () -> refused("DEV.APP.SVRCONN", "TLS_AES_128_GCM_SHA256"));
        scenarios.add("clientWithout", () -> refused("TLS.ANY", ""));
        scenarios.run(args.length > 1 ? args[1] : "");
        System.exit(0);
    }

    /** The client itself compares the name in the certificate. */
    static void shown(String channel, String name) throws Exception {
        JmsConnectionFactory factory = factory(channel, "TLS_AES_256_GCM_SHA384");
        factory.setStringProperty(WMQConstants.WMQ_SSL_PEER_NAME, "CN=" + name + ", O=us");
        factory.createConnection().close();
    }

    static Connection connect(String channel, String suite) throws JMSException {
        return factory(channel, suite).createConnection();
    }

    static JmsConnectionFactory factory(String channel, String suite) throws JMSException {
        JmsConnectionFactory factory = Jms.factory();
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, channel);
        if (!suite.isEmpty()) {
            factory.setStringProperty(WMQConstants.WMQ_SSL_CIPHER_SUITE, suite);
        }
        return factory;
    }

    static void work(String channel, String suite) throws Exception {
        Connection connection = connect(channel, suite);
        Session session = Jms.session(connection);
        Queue queue = session.createQueue(Jms.QUEUE);
        connection.start();
        for (int size : new int[] {0, 10, 100000, 3000000}) {
            String text = "x".repeat(size);
            session.createProducer(queue).send(session.createTextMessage(text));
            Scenarios.same(size, Jms.textOf(session.createConsumer(queue).receive(5000)).length());
        }
        connection.close();
    }

    static void refused(String channel, String suite) throws Exception {
        try {
            connect(channel, suite).close();
        } catch (JMSException expected) {
            for (Throwable cause = expected; cause != null; cause = cause.getCause()) {
                if (cause.toString().matches(".*(2393|2397|2398|2009|2540).*")) {
                    System.out.println("refused " + channel + ": " + cause.toString().replaceAll("\\s+", " "));
                    return;
                }
            }
            throw expected;
        }
        throw new AssertionError("it was let in");
    }
}
