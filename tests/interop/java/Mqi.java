import com.ibm.mq.MQC;
import com.ibm.mq.MQDistributionList;
import com.ibm.mq.MQDistributionListItem;
import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.MQTopic;
import com.ibm.mq.constants.MQConstants;
import java.util.Arrays;
import java.util.Hashtable;
import java.util.Random;

/** The IBM MQ classes for Java against a queue manager: Mqi PORT [SCENARIO]. */
public final class Mqi {
    static final int BOTH = MQConstants.MQOO_INPUT_SHARED | MQConstants.MQOO_OUTPUT;
    static final String QUEUE = "DEV.QUEUE.1";
    static int port;
    /** Techniques for headers and messages, where they are compressed. */
    static int[] compression;

    public static void main(String[] args) {
        port = Integer.parseInt(args[0]);
        MQException.log = null;
        Scenarios scenarios = new Scenarios();
        scenarios.add("connect", Mqi::connect);
        scenarios.add("password", Mqi::password);
        scenarios.add("sizes", Mqi::sizes);
        scenarios.add("reasons", Mqi::reasons);
        scenarios.add("match", Mqi::match);
        scenarios.add("browse", Mqi::browse);
        scenarios.add("syncpoint", Mqi::syncpoint);
        scenarios.add("truncation", Mqi::truncation);
        scenarios.add("groups", Mqi::groups);
        scenarios.add("inquire", Mqi::inquire);
        scenarios.add("set", Mqi::set);
        scenarios.add("inhibited", Mqi::inhibited);
        scenarios.add("properties", Mqi::properties);
        scenarios.add("dynamic", Mqi::dynamic);
        scenarios.add("put1", Mqi::put1);
        scenarios.add("convert", Mqi::convert);
        scenarios.add("distributionList", Mqi::distributionList);
        scenarios.add("subscribe", Mqi::subscribe);
        scenarios.add("publishOnRequest", Mqi::publishOnRequest);
        scenarios.run(args.length > 1 ? args[1] : "");
    }

    static MQQueueManager manager(String name, String channel) throws MQException {
        return manager(name, channel, "app", "passw0rd");
    }

    static MQQueueManager manager(String name, String channel, String user, String password) throws MQException {
        Hashtable<String, Object> properties = new Hashtable<>();
        properties.put(MQConstants.HOST_NAME_PROPERTY, "127.0.0.1");
        properties.put(MQConstants.PORT_PROPERTY, port);
        properties.put(MQConstants.CHANNEL_PROPERTY, channel);
        properties.put(MQConstants.TRANSPORT_PROPERTY, MQConstants.TRANSPORT_MQSERIES_CLIENT);
        properties.put(MQConstants.USER_ID_PROPERTY, user);
        properties.put(MQConstants.PASSWORD_PROPERTY, password);
        properties.put(MQConstants.USE_MQCSP_AUTHENTICATION_PROPERTY, true);
        if (compression != null) {
            properties.put(MQC.HEADER_COMPRESSION_PROPERTY, Compressed.list(compression[0]));
            properties.put(MQC.MESSAGE_COMPRESSION_PROPERTY, Compressed.list(compression[1]));
        }
        return new MQQueueManager(name, properties);
    }

    static MQQueueManager manager() throws MQException {
        return manager("QM1", "DEV.APP.SVRCONN");
    }

    static MQMessage message(String text) throws Exception {
        MQMessage message = new MQMessage();
        message.format = MQConstants.MQFMT_STRING;
        message.writeString(text);
        return message;
    }

    static String text(MQMessage message) throws Exception {
        return message.readStringOfByteLength(message.getMessageLength());
    }

    static MQGetMessageOptions options(int options, int wait) {
        MQGetMessageOptions gmo = new MQGetMessageOptions();
        gmo.options = options;
        gmo.waitInterval = wait;
        return gmo;
    }

    static int reason(Scenarios.Body body) throws Exception {
        try {
            body.run();
            return 0;
        } catch (MQException error) {
            return error.reasonCode;
        }
    }

    static void connect() throws Exception {
        MQQueueManager manager = manager();
        Scenarios.same("QM1", manager.getName().trim());
        Scenarios.that(manager.getCommandLevel() >= 900, "command level " + manager.getCommandLevel());
        manager.disconnect();
        Scenarios.same(2058, reason(() -> manager("QM2", "DEV.APP.SVRCONN")));
        Scenarios.same(2540, reason(() -> manager("QM1", "NO.SUCH.CHANNEL")));
        manager("", "DEV.APP.SVRCONN").disconnect();
        manager("*ANY", "DEV.APP.SVRCONN").disconnect();
    }

    static void password() throws Exception {
        Scenarios.same(2035, reason(() -> manager("QM1", "DEV.APP.SVRCONN", "app", "wrong")));
        Scenarios.same(2035, reason(() -> manager("QM1", "DEV.APP.SVRCONN", "nobody", "passw0rd")));
        manager("QM1", "DEV.APP.SVRCONN", "app", "passw0rd").disconnect();
    }

    static void sizes() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue(QUEUE, BOTH);
        for (int size : new int[] {0, 1, 100, 4095, 4096, 4097, 32700, 32748, 40000, 1 << 20, 4 << 20, 10 << 20}) {
            if (size > Scenarios.LONGEST) {
                break;
            }
            byte[] data = new byte[size];
            new Random(size).nextBytes(data);
            MQMessage sent = new MQMessage();
            sent.write(data);
            queue.put(sent, new MQPutMessageOptions());
            MQMessage got = new MQMessage();
            queue.get(got, options(MQConstants.MQGMO_NO_SYNCPOINT, 0), 10 << 20);
            byte[] back = new byte[got.getMessageLength()];
            got.readFully(back);
            Scenarios.that(Arrays.equals(data, back), "size " + size);
            Scenarios.that(Arrays.equals(sent.messageId, got.messageId), "message id at size " + size);
        }
        queue.close();
        manager.disconnect();
    }

    static void reasons() throws Exception {
        MQQueueManager manager = manager();
        Scenarios.same(2085, reason(() -> manager.accessQueue("NO.SUCH.QUEUE", BOTH)));
        MQQueue queue = manager.accessQueue(QUEUE, MQConstants.MQOO_OUTPUT);
        Scenarios.same(2037, reason(() -> queue.get(new MQMessage())));
        queue.close();
        MQQueue input = manager.accessQueue(QUEUE, MQConstants.MQOO_INPUT_EXCLUSIVE);
        Scenarios.same(2042, reason(() -> manager.accessQueue(QUEUE, MQConstants.MQOO_INPUT_SHARED)));
        Scenarios.same(2033, reason(() -> input.get(new MQMessage(), options(MQConstants.MQGMO_WAIT, 200))));
        Scenarios.same(2033, reason(() -> input.get(new MQMessage())));
        input.close();
        manager.disconnect();
    }

    static void match() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue(QUEUE, BOTH);
        byte[][] ids = new byte[3][];
        for (int number = 0; number < 3; number++) {
            MQMessage message = message("m" + number);
            message.correlationId = ("correl" + number).getBytes();
            queue.put(message, new MQPutMessageOptions());
            ids[number] = message.messageId;
        }
        MQMessage wanted = new MQMessage();
        wanted.messageId = ids[1];
        queue.get(wanted, options(0, 0));
        Scenarios.same("m1", text(wanted));
        wanted = new MQMessage();
        wanted.correlationId = "correl2".getBytes();
        queue.get(wanted, options(0, 0));
        Scenarios.same("m2", text(wanted));
        MQMessage rest = new MQMessage();
        queue.get(rest, options(0, 0));
        Scenarios.same("m0", text(rest));
        queue.close();
        manager.disconnect();
    }

    static void browse() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue(QUEUE, BOTH | MQConstants.MQOO_BROWSE);
        for (int number = 0; number < 3; number++) {
            queue.put(message("m" + number), new MQPutMessageOptions());
        }
        int how = MQConstants.MQGMO_BROWSE_FIRST;
        for (int number = 0; number < 3; number++) {
            MQMessage message = new MQMessage();
            queue.get(message, options(how, 0));
            Scenarios.same("m" + number, text(message));
            how = MQConstants.MQGMO_BROWSE_NEXT;
        }
        Scenarios.same(2033, reason(() -> queue.get(new MQMessage(), options(MQConstants.MQGMO_BROWSE_NEXT, 0))));
        MQMessage again = new MQMessage();
        queue.get(again, options(MQConstants.MQGMO_BROWSE_FIRST, 0));
        Scenarios.same("m0", text(again));
        MQMessage taken = new MQMessage();
        queue.get(taken, options(MQConstants.MQGMO_MSG_UNDER_CURSOR, 0));
        Scenarios.same("m0", text(taken));
        queue.get(new MQMessage(), options(0, 0));
        queue.get(new MQMessage(), options(0, 0));
        Scenarios.same(2033, reason(() -> queue.get(new MQMessage(), options(0, 0))));
        queue.close();
        manager.disconnect();
    }

    static void syncpoint() throws Exception {
        MQQueueManager manager = manager();
        MQQueueManager other = manager();
        MQQueue queue = manager.accessQueue(QUEUE, BOTH);
        MQQueue theirs = other.accessQueue(QUEUE, BOTH);
        MQPutMessageOptions pmo = new MQPutMessageOptions();
        pmo.options = MQConstants.MQPMO_SYNCPOINT;
        queue.put(message("1"), pmo);
        Scenarios.same(2033, reason(() -> theirs.get(new MQMessage(), options(0, 0))));
        manager.commit();
        MQMessage got = new MQMessage();
        theirs.get(got, options(MQConstants.MQGMO_SYNCPOINT, 0));
        other.backout();
        got = new MQMessage();
        theirs.get(got, options(MQConstants.MQGMO_SYNCPOINT, 0));
        Scenarios.same(1, got.backoutCount);
        other.commit();
        queue.put(message("2"), pmo);
        manager.backout();
        Scenarios.same(2033, reason(() -> theirs.get(new MQMessage(), options(0, 0))));
        manager.disconnect();
        other.disconnect();
    }

    static void truncation() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue(QUEUE, BOTH);
        queue.put(message("0123456789"), new MQPutMessageOptions());
        Scenarios.same(2080, reason(() -> queue.get(new MQMessage(), options(0, 0), 4)));
        MQMessage cut = new MQMessage();
        int reason = reason(() -> queue.get(cut, options(MQConstants.MQGMO_ACCEPT_TRUNCATED_MSG, 0), 4));
        Scenarios.same(2079, reason);
        Scenarios.same(10, cut.getTotalMessageLength());
        Scenarios.same(2033, reason(() -> queue.get(new MQMessage(), options(0, 0))));
        manager.disconnect();
    }

    static void groups() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue(QUEUE, BOTH);
        MQPutMessageOptions pmo = new MQPutMessageOptions();
        pmo.options = MQConstants.MQPMO_LOGICAL_ORDER | MQConstants.MQPMO_SYNCPOINT;
        for (int number = 1; number <= 3; number++) {
            MQMessage message = message("part " + number);
            message.messageFlags = number == 3 ? MQConstants.MQMF_LAST_MSG_IN_GROUP : MQConstants.MQMF_MSG_IN_GROUP;
            queue.put(message, pmo);
        }
        manager.commit();
        int flags = MQConstants.MQGMO_LOGICAL_ORDER | MQConstants.MQGMO_ALL_MSGS_AVAILABLE;
        for (int number = 1; number <= 3; number++) {
            MQMessage message = new MQMessage();
            queue.get(message, options(flags, 0));
            Scenarios.same("part " + number, text(message));
            Scenarios.same(number, message.messageSequenceNumber);
        }
        manager.disconnect();
    }

    static void inquire() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue(QUEUE, BOTH | MQConstants.MQOO_INQUIRE);
        Scenarios.same(0, queue.getCurrentDepth());
        queue.put(message("1"), new MQPutMessageOptions());
        Scenarios.same(1, queue.getCurrentDepth());
        Scenarios.same(1, queue.getOpenInputCount());
        Scenarios.same(QUEUE, queue.getName().trim());
        queue.get(new MQMessage());
        manager.disconnect();
    }

    static void set() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue("DEV.QUEUE.2", MQConstants.MQOO_SET | MQConstants.MQOO_OUTPUT);
        queue.setInhibitPut(MQConstants.MQQA_PUT_INHIBITED);
        Scenarios.same(2051, reason(() -> queue.put(message("x"), new MQPutMessageOptions())));
        queue.setInhibitPut(MQConstants.MQQA_PUT_ALLOWED);
        manager.disconnect();
    }

    static void inhibited() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue("DEV.QUEUE.2", BOTH | MQConstants.MQOO_SET);
        queue.setInhibitGet(MQConstants.MQQA_GET_INHIBITED);
        Scenarios.same(2016, reason(() -> queue.get(new MQMessage(), options(0, 0))));
        Scenarios.same(2016, reason(() -> queue.get(new MQMessage(), options(MQConstants.MQGMO_WAIT, 300))));
        queue.setInhibitGet(MQConstants.MQQA_GET_ALLOWED);
        queue.put(message("x"), new MQPutMessageOptions());
        MQMessage got = new MQMessage();
        queue.get(got, options(MQConstants.MQGMO_WAIT, 300));
        Scenarios.same("x", text(got));
        manager.disconnect();
    }

    static void properties() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue(QUEUE, BOTH);
        MQMessage message = message("body");
        message.setStringProperty("colour", "blue");
        message.setIntProperty("count", 42);
        message.setBooleanProperty("flag", true);
        message.setLongProperty("big", 1L << 40);
        message.setDoubleProperty("half", 0.5);
        queue.put(message, new MQPutMessageOptions());
        MQMessage got = new MQMessage();
        queue.get(got, options(MQConstants.MQGMO_PROPERTIES_IN_HANDLE, 0));
        Scenarios.same("blue", got.getStringProperty("colour"));
        Scenarios.same(42, got.getIntProperty("count"));
        Scenarios.same(true, got.getBooleanProperty("flag"));
        Scenarios.same(1L << 40, got.getLongProperty("big"));
        Scenarios.same(0.5, got.getDoubleProperty("half"));
        Scenarios.same("body", text(got));
        manager.disconnect();
    }

    static void dynamic() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue("SYSTEM.DEFAULT.MODEL.QUEUE", BOTH, "", "JAVA.*", "");
        Scenarios.that(queue.getName().startsWith("JAVA."), queue.getName());
        String name = queue.getName().trim();
        queue.put(message("x"), new MQPutMessageOptions());
        queue.get(new MQMessage());
        queue.close();
        Scenarios.same(2085, reason(() -> manager.accessQueue(name, BOTH)));
        manager.disconnect();
    }

    static void put1() throws Exception {
        MQQueueManager manager = manager();
        manager.put(QUEUE, message("one"));
        MQQueue queue = manager.accessQueue(QUEUE, BOTH);
        MQMessage got = new MQMessage();
        queue.get(got);
        Scenarios.same("one", text(got));
        Scenarios.same("app", got.userId.trim());
        manager.disconnect();
    }

    static void convert() throws Exception {
        MQQueueManager manager = manager();
        MQQueue queue = manager.accessQueue(QUEUE, BOTH);
        MQMessage message = new MQMessage();
        message.format = MQConstants.MQFMT_STRING;
        message.characterSet = 500;
        message.writeString("EBCDIC: \u00e4");
        queue.put(message, new MQPutMessageOptions());
        MQMessage got = new MQMessage();
        got.characterSet = 1208;
        queue.get(got, options(MQConstants.MQGMO_CONVERT, 0));
        Scenarios.same(1208, got.characterSet);
        Scenarios.same("EBCDIC: \u00e4", text(got));
        manager.disconnect();
    }

    static void distributionList() throws Exception {
        MQQueueManager manager = manager();
        String[] names = {"DEV.QUEUE.1", "DEV.QUEUE.2", "DEV.NOT.THERE"};
        MQDistributionListItem[] items = new MQDistributionListItem[3];
        for (int i = 0; i < 3; i++) {
            items[i] = new MQDistributionListItem();
            items[i].queueName = names[i];
            items[i].queueManagerName = "";
        }
        MQDistributionList list = manager.accessDistributionList(items, MQConstants.MQOO_OUTPUT);
        Scenarios.same(1, list.getInvalidDestinationCount());
        MQPutMessageOptions pmo = new MQPutMessageOptions();
        pmo.recordFields = MQConstants.MQPMRF_MSG_ID;
        Scenarios.same(2136, reason(() -> list.put(message("to all"), pmo)));
        Scenarios.same(2085, items[2].reasonCode);
        for (int i = 0; i < 2; i++) {
            MQMessage got = new MQMessage();
            got.messageId = items[i].messageId;
            MQQueue queue = manager.accessQueue(names[i], MQConstants.MQOO_INPUT_SHARED);
            queue.get(got, options(MQConstants.MQGMO_NO_SYNCPOINT, 0));
            Scenarios.same("to all", text(got));
            queue.close();
        }
        Scenarios.that(!Arrays.equals(items[0].messageId, items[1].messageId), "one id for two messages");
        list.close();
        manager.disconnect();
    }

    static void subscribe() throws Exception {
        MQQueueManager manager = manager();
        int how = MQConstants.MQSO_CREATE | MQConstants.MQSO_NON_DURABLE | MQConstants.MQSO_MANAGED;
        MQTopic subscription = manager.accessTopic("mqi/+", "", MQConstants.MQTOPIC_OPEN_AS_SUBSCRIPTION, how);
        MQTopic publication = manager.accessTopic(
                "mqi/topic", "", MQConstants.MQTOPIC_OPEN_AS_PUBLICATION, MQConstants.MQOO_OUTPUT);
        publication.put(message("published"), new MQPutMessageOptions());
        MQMessage got = new MQMessage();
        subscription.get(got, options(MQConstants.MQGMO_WAIT, 2000));
        Scenarios.same("published", text(got));
        Scenarios.same(2033, reason(() -> subscription.get(new MQMessage(), options(0, 0))));
        subscription.close();
        publication.close();
        manager.disconnect();
    }

    static void publishOnRequest() throws Exception {
        MQQueueManager manager = manager();
        MQTopic publication = manager.accessTopic(
                "mqi/retained", "", MQConstants.MQTOPIC_OPEN_AS_PUBLICATION, MQConstants.MQOO_OUTPUT);
        MQPutMessageOptions pmo = new MQPutMessageOptions();
        pmo.options = MQConstants.MQPMO_RETAIN;
        publication.put(message("kept"), pmo);
        int how = MQConstants.MQSO_CREATE | MQConstants.MQSO_MANAGED | MQConstants.MQSO_PUBLICATIONS_ON_REQUEST;
        MQTopic subscription = manager.accessTopic("mqi/retained", "", MQConstants.MQTOPIC_OPEN_AS_SUBSCRIPTION, how);
        Scenarios.same(2033, reason(() -> subscription.get(new MQMessage(), options(0, 0))));
        Scenarios.same(1, subscription.getSubscriptionReference().requestPublicationUpdate(0));
        MQMessage got = new MQMessage();
        subscription.get(got, options(MQConstants.MQGMO_WAIT, 2000));
        Scenarios.same("kept", text(got));
        manager.disconnect();
    }
}
