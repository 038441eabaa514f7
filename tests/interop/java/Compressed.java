import com.ibm.mq.constants.MQConstants;
import java.util.Vector;

/** Both sets of classes on channels that compress: Compressed PORT [SCENARIO]. */
public final class Compressed {
    public static void main(String[] args) {
        Mqi.port = Jms.port = Integer.parseInt(args[0]);
        Scenarios scenarios = new Scenarios();
        scenarios.add("rle", () -> with(MQConstants.MQCOMPRESS_NONE, MQConstants.MQCOMPRESS_RLE));
        scenarios.add("zlibFast", () -> with(MQConstants.MQCOMPRESS_NONE, MQConstants.MQCOMPRESS_ZLIBFAST));
        scenarios.add("zlibHigh", () -> with(MQConstants.MQCOMPRESS_SYSTEM, MQConstants.MQCOMPRESS_ZLIBHIGH));
        scenarios.add("headers", () -> with(MQConstants.MQCOMPRESS_SYSTEM, MQConstants.MQCOMPRESS_NONE));
        scenarios.add("headersAndRle", () -> with(MQConstants.MQCOMPRESS_SYSTEM, MQConstants.MQCOMPRESS_RLE));
        scenarios.run(args.length > 1 ? args[1] : "");
        System.exit(0);
    }

    static void with(int header, int message) throws Exception {
        Mqi.compression = Jms.compression = new int[] {header, message};
        Mqi.sizes();
        Mqi.browse();
        Mqi.put1();
        Jms.run(Jms::bodies);
        Jms.run(Jms::listener);
        Jms.run(Jms::transacted);
        Jms.run(Jms::repeated);
    }

    static Vector<Integer> list(int technique) {
        Vector<Integer> list = new Vector<>();
        list.add(technique);
        return list;
    }
}
