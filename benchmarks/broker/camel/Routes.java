import com.ibm.mq.jms.MQConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.StringReader;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.jms.JmsComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.springframework.jms.connection.CachingConnectionFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The routes of `bench broker`: what the flows do, as a Camel user writes it with Java and DOM. */
public final class Routes extends RouteBuilder {
    private final String prefix;
    private final String database;
    private final List<String> publications;

    private Routes(String prefix, String database, List<String> publications) {
        this.prefix = prefix;
        this.database = database;
        this.publications = publications;
    }

    /** Arguments: queue manager, port, channel, prefix of queues, JDBC URL or "", numbers of subscribers. */

    public static void main(String[] arguments) throws Exception {
        MQConnectionFactory factory = new MQConnectionFactory();
        factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
        factory.setQueueManager(arguments[0]);
        factory.setHostName("127.0.0.1");
        factory.setPort(Integer.parseInt(arguments[1]));
        factory.setChannel(arguments[2]);
        CachingConnectionFactory caching = new CachingConnectionFactory(factory);
        caching.setCacheConsumers(false);
        caching.setSessionCacheSize(50);
        JmsComponent jms = JmsComponent.jmsComponent(caching);
        jms.setTransacted(true);
        jms.setLazyCreateTransactionManager(false);
        jms.setCacheLevelName("CACHE_CONSUMER");
        // Otherwise every output is persistent, and a route of messages that are not would do more than the flow.
        jms.setPreserveMessageQos(true);
        DefaultCamelContext context = new DefaultCamelContext();
        context.addComponent("mq", jms);
        List<String> publications = Arrays.asList(arguments).subList(5, arguments.length);
        context.addRoutes(new Routes(arguments[3], arguments[4], publications));
        context.start();
        System.out.println("ready");
        while (System.in.read() >= 0) {
            // Until the other end is closed.
        }
        System.exit(0);
    }

    @Override
    public void configure() {
        for (String twin : new String[] {"", "_P"}) {
            for (String name : new String[] {"PASS_1K", "PASS_64K"}) {
                from(in(name + twin)).to(out(name + twin));
            }
            change("COMPUTE_SIMPLE_1K" + twin, 0);
            change("COMPUTE_COMPLEX_4K" + twin, 1);
            change("COMPUTE_VERY_COMPLEX_4K" + twin, 5);
            from(in("FILTER_1K" + twin)).filter(header("Colour").isEqualTo("red")).to(out("FILTER_1K" + twin));
            route("ROUTE_1" + twin, 1);
            route("ROUTE_100" + twin, 100);
            if (!database.isEmpty()) {
                from(in("DB_PLAIN" + twin)).process(new Row(database)).to(out("DB_PLAIN" + twin));
            }
        }
        for (String count : publications) {
            from(in("PUBLISH_" + count)).to("mq:topic:bench/" + prefix + "publish_" + count);
        }
    }

    private void change(String name, int passes) {
        from(in(name)).process(new Change(passes)).to(out(name));
    }

    private void route(String name, int labels) {
        from(in(name))
                .process(exchange -> {
                    List<String> list = new ArrayList<>();
                    for (int number = 1; number <= labels; number++) {
                        list.add("direct:" + name + "-L" + number);
                    }
                    exchange.getIn().setHeader("label", list.get(list.size() - 1));
                })
                .recipientList(header("label"));
        for (int number = 1; number <= labels; number++) {
            from("direct:" + name + "-L" + number).to(out(name));
        }
    }

    private String in(String name) {
        return "mq:queue:" + prefix + name + ".IN";
    }

    private String out(String name) {
        return "mq:queue:" + prefix + name + ".OUT";
    }

    /** Insert a row and delete it, committed before the queue manager. */
    private static final class Row implements Processor {
        private final ThreadLocal<Connection> connections;

        Row(String url) {
            connections = ThreadLocal.withInitial(() -> connected(url));
        }

        private static Connection connected(String url) {
            try {
                Connection made = DriverManager.getConnection(url);
                made.setAutoCommit(false);
                return made;
            } catch (SQLException error) {
                throw new IllegalStateException(error);
            }
        }

        @Override
        public void process(Exchange exchange) throws Exception {
            Connection connection = connections.get();
            String id = exchange.getIn().getHeader("JMSCorrelationID", String.class);
            // The driver prepares a statement on the server when it has been used five times, and keeps it.
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO bench (id, name) VALUES (?, ?)");
                    PreparedStatement delete = connection.prepareStatement("DELETE FROM bench WHERE id = ?")) {
                insert.setString(1, id);
                insert.setString(2, "case");
                insert.executeUpdate();
                delete.setString(1, id);
                delete.executeUpdate();
            }
            connection.commit();
        }
    }

    /** Parse, change, and write: one field, or the loop of the complex Compute so many times. */
    private static final class Change implements Processor {
        private static final ThreadLocal<DocumentBuilder> BUILDERS = ThreadLocal.withInitial(Change::builder);
        private static final ThreadLocal<Transformer> WRITERS = ThreadLocal.withInitial(Change::writer);
        private final int passes;

        Change(int passes) {
            this.passes = passes;
        }

        private static DocumentBuilder builder() {
            try {
                return DocumentBuilderFactory.newInstance().newDocumentBuilder();
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        }

        private static Transformer writer() {
            try {
                Transformer made = TransformerFactory.newInstance().newTransformer();
                made.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
                return made;
            } catch (Exception error) {
                throw new IllegalStateException(error);
            }
        }

        @Override
        public void process(Exchange exchange) throws Exception {
            String body = exchange.getIn().getBody(String.class);
            Document document = BUILDERS.get().parse(new InputSource(new StringReader(body)));
            Element test = child(document.getDocumentElement(), "TestCase");
            if (passes == 0) {
                child(test, "Name").setTextContent("changed");
            }
            NodeList elements = child(child(test, "Stack"), "ProcessingPath").getElementsByTagName("Element");
            for (int pass = 0; pass < passes; pass++) {
                Element path = child(test, "ProcessingPath");
                if (path == null) {
                    path = add(test, "ProcessingPath");
                }
                Element component = (Element) path.getFirstChild();
                for (int number = 0; number < elements.getLength(); number++) {
                    Element element = (Element) elements.item(number);
                    if (component == null) {
                        component = add(path, "Component");
                        add(component, "Name");
                        add(add(component, "Transport"), "Queue");
                    }
                    Element transport = child(component, "Transport");
                    child(component, "Name").setTextContent(child(element, "COMPONENT").getTextContent());
                    transport.setAttribute("Type", "A");
                    child(transport, "Queue").setTextContent(child(element, "QUEUE").getTextContent());
                    component = (Element) component.getNextSibling();
                }
            }
            StringWriter written = new StringWriter(body.length() * 2);
            WRITERS.get().transform(new DOMSource(document), new StreamResult(written));
            exchange.getIn().setBody(written.toString());
        }

        private static Element child(Element parent, String name) {
            for (Node each = parent.getFirstChild(); each != null; each = each.getNextSibling()) {
                if (each.getNodeName().equals(name)) {
                    return (Element) each;
                }
            }
            return null;
        }

        private static Element add(Element parent, String name) {
            return (Element) parent.appendChild(parent.getOwnerDocument().createElement(name));
        }
    }
}
