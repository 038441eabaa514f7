import com.ibm.mq.MQException;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.constants.MQConstants;
import com.ibm.mq.headers.MQDataException;
import com.ibm.mq.headers.pcf.MQCFIN;
import com.ibm.mq.headers.pcf.PCFMessage;
import com.ibm.mq.headers.pcf.PCFMessageAgent;
import java.util.Arrays;
import java.util.List;

/** Administration with com.ibm.mq.headers.pcf.PCFMessageAgent: Pcf PORT [SCENARIO]. */
public final class Pcf {
    static PCFMessageAgent agent;
    static MQQueueManager manager;

    public static void main(String[] args) throws Exception {
        Mqi.port = Integer.parseInt(args[0]);
        MQException.log = null;
        manager = Mqi.manager("QM1", "DEV.ADMIN.SVRCONN", "admin", "passw0rd");
        agent = new PCFMessageAgent(manager);
        Scenarios scenarios = new Scenarios();
        scenarios.add("ping", Pcf::ping);
        scenarios.add("agentKnowsTheQueueManager", Pcf::agentKnowsTheQueueManager);
        scenarios.add("lifeOfAQueue", Pcf::lifeOfAQueue);
        scenarios.add("inquireManyQueues", Pcf::inquireManyQueues);
        scenarios.add("attributesAndFilters", Pcf::attributesAndFilters);
        scenarios.add("names", Pcf::names);
        scenarios.add("queueManager", Pcf::queueManager);
        scenarios.add("channels", Pcf::channels);
        scenarios.add("channelStatus", Pcf::channelStatus);
        scenarios.add("stopAndStartChannel", Pcf::stopAndStartChannel);
        scenarios.add("authorityRecords", Pcf::authorityRecords);
        scenarios.add("otherObjects", Pcf::otherObjects);
        scenarios.add("queueStatus", Pcf::queueStatus);
        scenarios.add("resetStatistics", Pcf::resetStatistics);
        scenarios.add("connections", Pcf::connections);
        scenarios.add("subscriptions", Pcf::subscriptions);
        scenarios.add("escape", Pcf::escape);
        scenarios.add("refusals", Pcf::refusals);
        scenarios.add("ebcdic", Pcf::ebcdic);
        scenarios.run(args.length > 1 ? args[1] : "");
        agent.disconnect();
        manager.disconnect();
    }

    static PCFMessage command(int number) {
        return new PCFMessage(number);
    }

    static PCFMessage queue(int number, String name) {
        PCFMessage request = command(number);
        request.addParameter(MQConstants.MQCA_Q_NAME, name);
        return request;
    }

    static PCFMessage local(int number, String name) {
        PCFMessage request = queue(number, name);
        request.addParameter(MQConstants.MQIA_Q_TYPE, MQConstants.MQQT_LOCAL);
        return request;
    }

    static int reason(PCFMessage request) throws Exception {
        try {
            agent.send(request);
            return 0;
        } catch (MQDataException error) {
            return error.reasonCode;
        }
    }

    static void ping() throws Exception {
        PCFMessage[] responses = agent.send(command(MQConstants.MQCMD_PING_Q_MGR));
        Scenarios.same(1, responses.length);
        Scenarios.same(0, responses[0].getCompCode());
        Scenarios.same(MQConstants.MQCMD_PING_Q_MGR, responses[0].getCommand());
    }

    static void agentKnowsTheQueueManager() throws Exception {
        Scenarios.same("QM1", agent.getQManagerName().trim());
        Scenarios.that(agent.getCommandLevel() >= 900, "level " + agent.getCommandLevel());
    }

    static void lifeOfAQueue() throws Exception {
        PCFMessage create = local(MQConstants.MQCMD_CREATE_Q, "PCF.LIFE");
        create.addParameter(MQConstants.MQIA_MAX_Q_DEPTH, 7);
        create.addParameter(MQConstants.MQCA_Q_DESC, "made by Java");
        agent.send(create);
        Scenarios.same(MQConstants.MQRCCF_OBJECT_ALREADY_EXISTS, reason(create));
        PCFMessage change = local(MQConstants.MQCMD_CHANGE_Q, "PCF.LIFE");
        change.addParameter(MQConstants.MQIA_MAX_Q_DEPTH, 8);
        agent.send(change);
        PCFMessage shown = agent.send(queue(MQConstants.MQCMD_INQUIRE_Q, "PCF.LIFE"))[0];
        Scenarios.same(8, shown.getIntParameterValue(MQConstants.MQIA_MAX_Q_DEPTH));
        Scenarios.same("made by Java", shown.getStringParameterValue(MQConstants.MQCA_Q_DESC).trim());
        Scenarios.same(48, shown.getStringParameterValue(MQConstants.MQCA_Q_NAME).length());
        MQQueue open = manager.accessQueue("PCF.LIFE", MQConstants.MQOO_OUTPUT);
        open.put(Mqi.message("hello"));
        Scenarios.same(2042, reason(queue(MQConstants.MQCMD_CLEAR_Q, "PCF.LIFE")));
        open.close();
        Scenarios.same(2055, reason(queue(MQConstants.MQCMD_DELETE_Q, "PCF.LIFE")));
        agent.send(queue(MQConstants.MQCMD_CLEAR_Q, "PCF.LIFE"));
        agent.send(queue(MQConstants.MQCMD_DELETE_Q, "PCF.LIFE"));
        Scenarios.same(2085, reason(queue(MQConstants.MQCMD_DELETE_Q, "PCF.LIFE")));
    }

    static void inquireManyQueues() throws Exception {
        PCFMessage[] responses = agent.send(queue(MQConstants.MQCMD_INQUIRE_Q, "*"));
        Scenarios.that(responses.length > 50, responses.length + " queues");
        Scenarios.same(MQConstants.MQCFC_LAST, responses[responses.length - 1].getControl());
        Scenarios.same(MQConstants.MQCFC_NOT_LAST, responses[0].getControl());
        for (int i = 0; i < responses.length; i++) {
            Scenarios.same(i + 1, responses[i].getMsgSeqNumber());
        }
    }

    static void attributesAndFilters() throws Exception {
        PCFMessage request = queue(MQConstants.MQCMD_INQUIRE_Q, "DEV.*");
        request.addParameter(
            MQConstants.MQIACF_Q_ATTRS, new int[] {MQConstants.MQCA_Q_NAME, MQConstants.MQIA_MAX_Q_DEPTH});
        request.addFilterParameter(MQConstants.MQIA_MAX_Q_DEPTH, MQConstants.MQCFOP_GREATER, 1);
        PCFMessage[] responses = agent.send(request);
        Scenarios.that(responses.length >= 4, responses.length + " queues");
        Scenarios.same(3, responses[0].getParameterCount());
        PCFMessage none = queue(MQConstants.MQCMD_INQUIRE_Q, "DEV.*");
        none.addFilterParameter(MQConstants.MQCA_Q_DESC, MQConstants.MQCFOP_LIKE, "nobody wrote this*");
        Scenarios.same(2085, reason(none));
    }

    static void names() throws Exception {
        PCFMessage response = agent.send(queue(MQConstants.MQCMD_INQUIRE_Q_NAMES, "DEV.QUEUE.*"))[0];
        String[] names = response.getStringListParameterValue(MQConstants.MQCACF_Q_NAMES);
        int[] types = response.getIntListParameterValue(MQConstants.MQIACF_Q_TYPES);
        Scenarios.same(3, names.length);
        Scenarios.same("DEV.QUEUE.1", names[0].trim());
        Scenarios.same("[1, 1, 1]", Arrays.toString(types));
        PCFMessage channels = command(MQConstants.MQCMD_INQUIRE_CHANNEL_NAMES);
        channels.addParameter(MQConstants.MQCACH_CHANNEL_NAME, "DEV.*");
        List<String> found =
            Arrays.asList(agent.send(channels)[0].getStringListParameterValue(MQConstants.MQCACH_CHANNEL_NAMES));
        Scenarios.that(found.stream().anyMatch(name -> name.trim().equals("DEV.APP.SVRCONN")), found.toString());
    }

    static void queueManager() throws Exception {
        PCFMessage change = command(MQConstants.MQCMD_CHANGE_Q_MGR);
        change.addParameter(MQConstants.MQCA_Q_MGR_DESC, "changed by Java");
        agent.send(change);
        PCFMessage shown = agent.send(command(MQConstants.MQCMD_INQUIRE_Q_MGR))[0];
        Scenarios.same("changed by Java", shown.getStringParameterValue(MQConstants.MQCA_Q_MGR_DESC).trim());
        Scenarios.same("QM1", shown.getStringParameterValue(MQConstants.MQCA_Q_MGR_NAME).trim());
        PCFMessage status = agent.send(command(MQConstants.MQCMD_INQUIRE_Q_MGR_STATUS))[0];
        Scenarios.same(
            MQConstants.MQQMSTA_RUNNING, status.getIntParameterValue(MQConstants.MQIACF_Q_MGR_STATUS));
        Scenarios.same(
            MQConstants.MQSVC_STATUS_RUNNING, status.getIntParameterValue(MQConstants.MQIACF_CMD_SERVER_STATUS));
    }

    static void channels() throws Exception {
        PCFMessage create = command(MQConstants.MQCMD_CREATE_CHANNEL);
        create.addParameter(MQConstants.MQCACH_CHANNEL_NAME, "PCF.SVRCONN");
        create.addParameter(MQConstants.MQIACH_CHANNEL_TYPE, MQConstants.MQCHT_SVRCONN);
        create.addParameter(MQConstants.MQIACH_HB_INTERVAL, 7);
        agent.send(create);
        Scenarios.same(MQConstants.MQRCCF_CHANNEL_ALREADY_EXISTS, reason(create));
        PCFMessage inquire = command(MQConstants.MQCMD_INQUIRE_CHANNEL);
        inquire.addParameter(MQConstants.MQCACH_CHANNEL_NAME, "PCF.*");
        inquire.addParameter(MQConstants.MQIACH_CHANNEL_TYPE, MQConstants.MQCHT_SVRCONN);
        PCFMessage shown = agent.send(inquire)[0];
        Scenarios.same(7, shown.getIntParameterValue(MQConstants.MQIACH_HB_INTERVAL));
        PCFMessage delete = command(MQConstants.MQCMD_DELETE_CHANNEL);
        delete.addParameter(MQConstants.MQCACH_CHANNEL_NAME, "PCF.SVRCONN");
        agent.send(delete);
        Scenarios.same(MQConstants.MQRCCF_CHANNEL_NOT_FOUND, reason(delete));
    }

    static void channelStatus() throws Exception {
        PCFMessage request = command(MQConstants.MQCMD_INQUIRE_CHANNEL_STATUS);
        request.addParameter(MQConstants.MQCACH_CHANNEL_NAME, "DEV.ADMIN.*");
        PCFMessage status = agent.send(request)[0];
        Scenarios.same(MQConstants.MQCHS_RUNNING, status.getIntParameterValue(MQConstants.MQIACH_CHANNEL_STATUS));
        Scenarios.same(MQConstants.MQCHT_SVRCONN, status.getIntParameterValue(MQConstants.MQIACH_CHANNEL_TYPE));
        Scenarios.that(
            status.getStringParameterValue(MQConstants.MQCACH_CONNECTION_NAME).startsWith("127.0.0.1"), "address");
        PCFMessage none = command(MQConstants.MQCMD_INQUIRE_CHANNEL_STATUS);
        none.addParameter(MQConstants.MQCACH_CHANNEL_NAME, "NOBODY.*");
        none.addParameter(MQConstants.MQIACH_CHANNEL_INSTANCE_TYPE, MQConstants.MQOT_CURRENT_CHANNEL);
        Scenarios.same(MQConstants.MQRCCF_CHL_STATUS_NOT_FOUND, reason(none));
        PCFMessage listeners = command(MQConstants.MQCMD_INQUIRE_LISTENER_STATUS);
        listeners.addParameter(MQConstants.MQCACH_LISTENER_NAME, "*");
        PCFMessage listener = agent.send(listeners)[0];
        Scenarios.same(Mqi.port, listener.getIntParameterValue(MQConstants.MQIACH_PORT));
    }

    static void stopAndStartChannel() throws Exception {
        PCFMessage stop = command(MQConstants.MQCMD_STOP_CHANNEL);
        stop.addParameter(MQConstants.MQCACH_CHANNEL_NAME, "DEV.APP.SVRCONN");
        stop.addParameter(MQConstants.MQIACF_MODE, MQConstants.MQMODE_FORCE);
        agent.send(stop);
        Scenarios.that(Mqi.reason(() -> Mqi.manager()) != 0, "a stopped channel was used");
        PCFMessage start = command(MQConstants.MQCMD_START_CHANNEL);
        start.addParameter(MQConstants.MQCACH_CHANNEL_NAME, "DEV.APP.SVRCONN");
        agent.send(start);
        Mqi.manager().disconnect();
    }

    static void authorityRecords() throws Exception {
        PCFMessage set = command(MQConstants.MQCMD_SET_AUTH_REC);
        set.addParameter(MQConstants.MQCACF_AUTH_PROFILE_NAME, "PCF.**");
        set.addParameter(MQConstants.MQIACF_OBJECT_TYPE, MQConstants.MQOT_Q);
        set.addParameter(MQConstants.MQIACF_AUTH_ADD_AUTHS, new int[] {MQConstants.MQAUTH_OUTPUT});
        set.addParameter(MQConstants.MQCACF_PRINCIPAL_ENTITY_NAMES, new String[] {"nobody"});
        agent.send(set);
        PCFMessage inquire = command(MQConstants.MQCMD_INQUIRE_AUTH_RECS);
        inquire.addParameter(
            MQConstants.MQIACF_AUTH_OPTIONS,
            MQConstants.MQAUTHOPT_NAME_ALL_MATCHING + MQConstants.MQAUTHOPT_ENTITY_EXPLICIT);
        inquire.addParameter(MQConstants.MQCACF_AUTH_PROFILE_NAME, "PCF.QUEUE");
        inquire.addParameter(MQConstants.MQIACF_OBJECT_TYPE, MQConstants.MQOT_Q);
        inquire.addParameter(MQConstants.MQCACF_ENTITY_NAME, "nobody");
        PCFMessage record = agent.send(inquire)[0];
        Scenarios.same("PCF.**", record.getStringParameterValue(MQConstants.MQCACF_AUTH_PROFILE_NAME).trim());
        Scenarios.same(
            "[" + MQConstants.MQAUTH_OUTPUT + "]",
            Arrays.toString(record.getIntListParameterValue(MQConstants.MQIACF_AUTHORIZATION_LIST)));
        agent.send(command(MQConstants.MQCMD_REFRESH_SECURITY));
    }

    static void otherObjects() throws Exception {
        PCFMessage topic = command(MQConstants.MQCMD_CREATE_TOPIC);
        topic.addParameter(MQConstants.MQCA_TOPIC_NAME, "PCF.TOPIC");
        topic.addParameter(MQConstants.MQCA_TOPIC_STRING, "pcf/topic");
        agent.send(topic);
        PCFMessage inquire = command(MQConstants.MQCMD_INQUIRE_TOPIC);
        inquire.addParameter(MQConstants.MQCA_TOPIC_NAME, "PCF.TOPIC");
        Scenarios.same("pcf/topic", agent.send(inquire)[0].getStringParameterValue(MQConstants.MQCA_TOPIC_STRING));
        PCFMessage delete = command(MQConstants.MQCMD_DELETE_TOPIC);
        delete.addParameter(MQConstants.MQCA_TOPIC_NAME, "PCF.TOPIC");
        agent.send(delete);
        PCFMessage list = command(MQConstants.MQCMD_CREATE_NAMELIST);
        list.addParameter(MQConstants.MQCA_NAMELIST_NAME, "PCF.NAMES");
        list.addParameter(MQConstants.MQCA_NAMES, new String[] {"A", "B"});
        list.addParameter(MQConstants.MQIACF_REPLACE, MQConstants.MQRP_YES);
        agent.send(list);
        PCFMessage names = command(MQConstants.MQCMD_INQUIRE_NAMELIST);
        names.addParameter(MQConstants.MQCA_NAMELIST_NAME, "PCF.NAMES");
        PCFMessage shown = agent.send(names)[0];
        Scenarios.same("B", shown.getStringListParameterValue(MQConstants.MQCA_NAMES)[1].trim());
        Scenarios.same(2, shown.getIntParameterValue(MQConstants.MQIA_NAME_COUNT));
        PCFMessage listener = command(MQConstants.MQCMD_INQUIRE_LISTENER);
        listener.addParameter(MQConstants.MQCACH_LISTENER_NAME, "*");
        Scenarios.that(agent.send(listener).length > 0, "a listener");
    }

    static void queueStatus() throws Exception {
        MQQueue open = manager.accessQueue("DEV.QUEUE.3", MQConstants.MQOO_INPUT_SHARED);
        PCFMessage request = queue(MQConstants.MQCMD_INQUIRE_Q_STATUS, "DEV.QUEUE.3");
        PCFMessage status = agent.send(request)[0];
        Scenarios.same(1, status.getIntParameterValue(MQConstants.MQIA_OPEN_INPUT_COUNT));
        PCFMessage handles = queue(MQConstants.MQCMD_INQUIRE_Q_STATUS, "DEV.QUEUE.3");
        handles.addParameter(MQConstants.MQIACF_Q_STATUS_TYPE, MQConstants.MQIACF_Q_HANDLE);
        PCFMessage handle = agent.send(handles)[0];
        Scenarios.same(
            MQConstants.MQQSO_SHARED, handle.getIntParameterValue(MQConstants.MQIACF_OPEN_INPUT_TYPE));
        Scenarios.same(
            "DEV.ADMIN.SVRCONN", handle.getStringParameterValue(MQConstants.MQCACH_CHANNEL_NAME).trim());
        open.close();
        Scenarios.same(MQConstants.MQRCCF_Q_STATUS_NOT_FOUND, reason(queue(MQConstants.MQCMD_INQUIRE_Q_STATUS, "NO")));
    }

    static void resetStatistics() throws Exception {
        MQQueue open = manager.accessQueue("DEV.QUEUE.3", Mqi.BOTH);
        open.put(Mqi.message("one"));
        open.get(new MQMessage());
        open.close();
        PCFMessage answer = agent.send(queue(MQConstants.MQCMD_RESET_Q_STATS, "DEV.QUEUE.3"))[0];
        Scenarios.same(1, answer.getIntParameterValue(MQConstants.MQIA_MSG_ENQ_COUNT));
        Scenarios.same(1, answer.getIntParameterValue(MQConstants.MQIA_MSG_DEQ_COUNT));
    }

    static void connections() throws Exception {
        MQQueueManager other = Mqi.manager("QM1", "DEV.APP.SVRCONN");
        PCFMessage request = command(MQConstants.MQCMD_INQUIRE_CONNECTION);
        request.addParameter(MQConstants.MQBACF_GENERIC_CONNECTION_ID, new byte[0]);
        request.addFilterParameter(MQConstants.MQCACH_CHANNEL_NAME, MQConstants.MQCFOP_EQUAL, "DEV.APP.SVRCONN");
        PCFMessage[] found = agent.send(request);
        Scenarios.same(1, found.length);
        byte[] id = found[0].getBytesParameterValue(MQConstants.MQBACF_CONNECTION_ID);
        Scenarios.same(24, id.length);
        PCFMessage stop = command(MQConstants.MQCMD_STOP_CONNECTION);
        stop.addParameter(MQConstants.MQBACF_CONNECTION_ID, id);
        agent.send(stop);
        Scenarios.that(Mqi.reason(() -> other.accessQueue("DEV.QUEUE.1", Mqi.BOTH)) != 0, "still connected");
        Scenarios.same(MQConstants.MQRCCF_CONNECTION_ID_ERROR, reason(stop));
    }

    static void subscriptions() throws Exception {
        PCFMessage create = command(MQConstants.MQCMD_CREATE_SUBSCRIPTION);
        create.addParameter(MQConstants.MQCACF_SUB_NAME, "made by Java");
        create.addParameter(MQConstants.MQCA_TOPIC_STRING, "pcf/#");
        create.addParameter(MQConstants.MQCACF_DESTINATION, "DEV.QUEUE.3");
        agent.send(create);
        PCFMessage inquire = command(MQConstants.MQCMD_INQUIRE_SUBSCRIPTION);
        inquire.addParameter(MQConstants.MQCACF_SUB_NAME, "made by*");
        PCFMessage shown = agent.send(inquire)[0];
        Scenarios.same("pcf/#", shown.getStringParameterValue(MQConstants.MQCA_TOPIC_STRING));
        Scenarios.same("DEV.QUEUE.3", shown.getStringParameterValue(MQConstants.MQCACF_DESTINATION).trim());
        Scenarios.same(24, shown.getBytesParameterValue(MQConstants.MQBACF_SUB_ID).length);
        PCFMessage delete = command(MQConstants.MQCMD_DELETE_SUBSCRIPTION);
        delete.addParameter(MQConstants.MQBACF_SUB_ID, shown.getBytesParameterValue(MQConstants.MQBACF_SUB_ID));
        agent.send(delete);
        Scenarios.same(2428, reason(delete));
    }

    static void escape() throws Exception {
        PCFMessage request = command(MQConstants.MQCMD_ESCAPE);
        request.addParameter(MQConstants.MQIACF_ESCAPE_TYPE, MQConstants.MQET_MQSC);
        request.addParameter(MQConstants.MQCACF_ESCAPE_TEXT, "DISPLAY QLOCAL(DEV.QUEUE.*) MAXDEPTH");
        PCFMessage[] responses = agent.send(request);
        Scenarios.same(3, responses.length);
        String text = responses[0].getStringParameterValue(MQConstants.MQCACF_ESCAPE_TEXT);
        Scenarios.that(text.contains("QUEUE(DEV.QUEUE.1)") && text.contains("MAXDEPTH(5000)"), text);
    }

    static void refusals() throws Exception {
        try {
            PCFMessage wrong = local(MQConstants.MQCMD_CHANGE_Q, "DEV.QUEUE.1");
            wrong.addParameter(MQConstants.MQIA_MAX_Q_DEPTH, -5);
            agent.send(wrong);
            throw new AssertionError("it was taken");
        } catch (MQDataException error) {
            Scenarios.same(MQConstants.MQRCCF_ATTR_VALUE_ERROR, error.reasonCode);
            PCFMessage[] said = (PCFMessage[]) error.exceptionSource;
            MQCFIN which = (MQCFIN) said[0].getParameters().nextElement();
            Scenarios.same(MQConstants.MQIACF_PARAMETER_ID, which.getParameter());
            Scenarios.same(MQConstants.MQIA_MAX_Q_DEPTH, which.getIntValue());
        }
        Scenarios.same(MQConstants.MQRCCF_CFH_COMMAND_ERROR, reason(command(9999)));
        PCFMessage unknown = queue(MQConstants.MQCMD_INQUIRE_Q, "*");
        unknown.addParameter(4711, 1);
        Scenarios.same(MQConstants.MQRCCF_CFIN_PARM_ID_ERROR, reason(unknown));
        Scenarios.same(MQConstants.MQRCCF_PARM_COUNT_TOO_SMALL, reason(command(MQConstants.MQCMD_INQUIRE_Q)));
    }

    /** The command and its responses in another character set and byte order. */
    static void ebcdic() throws Exception {
        PCFMessageAgent other = new PCFMessageAgent(manager);
        other.setCharacterSet(500);
        other.setEncoding(MQConstants.MQENC_S390);
        PCFMessage shown = other.send(queue(MQConstants.MQCMD_INQUIRE_Q, "DEV.QUEUE.1"))[0];
        Scenarios.same("DEV.QUEUE.1", shown.getStringParameterValue(MQConstants.MQCA_Q_NAME).trim());
    }
}
