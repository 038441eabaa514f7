import com.ibm.mq.jms.MQConnectionFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
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

    private Routes(String prefix) {
        this.prefix = prefix;
    }

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
        DefaultCamelContext context = new DefaultCamelContext();
        context.addComponent("mq", jms);
        context.addRoutes(new Routes(arguments[3]));
        context.start();
        System.out.println("ready");
        while (System.in.read() >= 0) {
            // Until the other end is closed.
        }
        System.exit(0);
    }

    @Override
    public void configure() {
        for (String name : new String[] {"PASS_1K", "PASS_64K"}) {
            from(in(name)).to(out(name));
        }
        from(in("COMPUTE_SIMPLE_1K")).process(new Change(0)).to(out("COMPUTE_SIMPLE_1K"));
        from(in("COMPUTE_COMPLEX_4K")).process(new Change(1)).to(out("COMPUTE_COMPLEX_4K"));
        from(in("COMPUTE_VERY_COMPLEX_4K")).process(new Change(5)).to(out("COMPUTE_VERY_COMPLEX_4K"));
        from(in("FILTER_1K")).filter(header("Colour").isEqualTo("red")).to(out("FILTER_1K"));
        route("ROUTE_1", 1);
        route("ROUTE_100", 100);
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
