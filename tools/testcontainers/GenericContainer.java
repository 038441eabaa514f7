package org.testcontainers.containers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

import org.testcontainers.containers.wait.strategy.WaitStrategy;
import org.testcontainers.lifecycle.Startable;
import org.testcontainers.utility.MountableFile;

/**
 * Stands in for the class of the same name in Testcontainers: what it starts is a queue manager of FlintMQ.
 *
 * It stands before the original on the class path of a test-suite that starts MQ's container. It has the methods that the
 * suites of IBM's Kafka connectors call, and asks tools/kafka_connectors.py, which runs the suite, to do the work; the
 * environment variable FLINT_CONTAINERS says where that listens.
 */
public class GenericContainer<SELF extends GenericContainer<SELF>> implements Startable {
    private static final int TCP = 1414;

    private final Map<String, String> settings = new LinkedHashMap<>();
    private final StringBuilder script = new StringBuilder();

    public GenericContainer(final String image) {
        settings.put("image", image);
    }

    @SuppressWarnings("unchecked")
    private SELF self() {
        return (SELF) this;
    }

    public SELF withEnv(final String name, final String value) {
        settings.put(name, value);
        return self();
    }

    /** The queue manager listens on the ports that tools/kafka_connectors.py has. */
    public SELF withExposedPorts(final Integer... ports) {
        return self();
    }

    /** Only MQSC is copied into MQ's container: it is run at the start. */
    public SELF withCopyFileToContainer(final MountableFile file, final String path) {
        try {
            script.append(Files.readString(Path.of(file.getFilesystemPath()))).append('\n');
        } catch (final IOException error) {
            throw new UncheckedIOException(error);
        }
        return self();
    }

    /** There is no container whose creation could be modified. */
    public SELF withCreateContainerCmdModifier(
            final Consumer<com.github.dockerjava.api.command.CreateContainerCmd> modifier) {
        return self();
    }

    /**
     * The start returns when the queue manager listens. Tests for JUnit 4 have nobody who starts a container: for them the
     * last call of the builder does.
     */
    public SELF waitingFor(final WaitStrategy strategy) {
        if (System.getenv("FLINT_START_AT_ONCE") != null) {
            start();
        }
        return self();
    }

    public Integer getMappedPort(final int port) {
        return Integer.valueOf(ask("port", port == TCP ? "tcp" : "rest"));
    }

    @Override
    public void start() {
        final StringBuilder query = new StringBuilder();
        settings.forEach((name, value) -> query.append(name).append('=').append(encode(value)).append('&'));
        ask("start?" + query, script.toString());
    }

    @Override
    public void stop() {
        ask("stop", "");
    }

    public Container.ExecResult execInContainer(final String... command) {
        return new Container.ExecResult(0, ask("run", String.join("\n", command)), "");
    }

    private static String encode(final String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String ask(final String what, final String body) {
        final URI place = URI.create(System.getenv("FLINT_CONTAINERS") + "/" + what);
        final HttpRequest request =
                HttpRequest.newBuilder(place).POST(HttpRequest.BodyPublishers.ofString(body)).build();
        try {
            final HttpResponse<String> answer =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IllegalStateException(what + ": " + answer.body());
            }
            return answer.body();
        } catch (final IOException error) {
            throw new UncheckedIOException(error);
        } catch (final InterruptedException error) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(error);
        }
    }
}
