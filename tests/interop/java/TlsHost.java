/** As Tls, by a client that names the host in the handshake and not the channel: -Dcom.ibm.mq.cfg.SSL.outboundSNI=HOSTNAME. */
public final class TlsHost {
    public static void main(String[] args) {
        Jms.port = Integer.parseInt(args[0]);
        Scenarios scenarios = new Scenarios();
        scenarios.add("channelWithCertificate", () -> Tls.refused("TLS.OWN", "TLS_AES_256_GCM_SHA384"));
        scenarios.add("channelWithout", () -> Tls.shown("TLS.ANY", "QM1"));
        scenarios.run(args.length > 1 ? args[1] : "");
        System.exit(0);
    }
}
