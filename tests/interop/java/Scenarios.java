import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs scenarios, each on its own: all, or those that are named with commas between.
 * Prints a line for each: "ok NAME" or "FAILED NAME: why".
 */
final class Scenarios {
    /** No message is longer: -Dlongest=BYTES. */
    static final int LONGEST = Integer.getInteger("longest", 10 << 20);

    interface Body {
        void run() throws Exception;
    }

    private final Map<String, Body> bodies = new LinkedHashMap<>();

    void add(String name, Body body) {
        bodies.put(name, body);
    }

    void run(String only) {
        List<String> chosen = Arrays.asList(only.split(","));
        bodies.forEach((name, body) -> {
            if (!only.isEmpty() && !chosen.contains(name)) {
                return;
            }
            try {
                body.run();
                System.out.println("ok " + name);
            } catch (Throwable error) {
                StringBuilder why = new StringBuilder(error.toString());
                for (Throwable cause = error.getCause(); cause != null; cause = cause.getCause()) {
                    why.append(" <- ").append(cause);
                }
                System.out.println("FAILED " + name + ": " + why.toString().replace('\n', ' '));
                error.printStackTrace();
            }
        });
    }

    static void same(Object expected, Object actual) {
        if (expected == null ? actual != null : !expected.equals(actual)) {
            throw new AssertionError("expected " + expected + ", not " + actual);
        }
    }

    static void that(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
