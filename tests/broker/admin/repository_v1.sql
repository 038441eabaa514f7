BEGIN TRANSACTION;
CREATE TABLE broker (
	name VARCHAR(48) NOT NULL, 
	uuid VARCHAR(36) NOT NULL, 
	queue_manager VARCHAR(48) NOT NULL, 
	created VARCHAR(40) NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "broker" VALUES('BRK','ae4c192d-5407-4729-86c6-4fef5b3e6312','QM1','2026-11-18 20:43:51');
CREATE TABLE content (
	broker VARCHAR(48) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	name TEXT NOT NULL, 
	kind VARCHAR(10) NOT NULL, 
	size BIGINT NOT NULL, 
	data BLOB NOT NULL, 
	PRIMARY KEY (broker, digest)
);
INSERT INTO "content" VALUES('BRK','c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeebeef','orders.bar','bar',22,X'504B0506000000000000000000000000000000000000');
CREATE TABLE deployed (
	broker VARCHAR(48) NOT NULL, 
	grp VARCHAR(48) NOT NULL, 
	application VARCHAR(400) NOT NULL, 
	kind VARCHAR(40) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	file TEXT NOT NULL, 
	deployed_at VARCHAR(40) NOT NULL, 
	deployed_by VARCHAR(200) NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	PRIMARY KEY (broker, grp, application)
);
INSERT INTO "deployed" VALUES('BRK','default','Shop','application','c0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeec0ffeebeef','orders.bar','2026-11-18 08:14:02','me','started');
CREATE TABLE flint_schema (
	magic VARCHAR(40) NOT NULL, 
	version INTEGER, 
	PRIMARY KEY (magic)
);
INSERT INTO "flint_schema" VALUES('flintmq-broker-repository',1);
CREATE TABLE flow_state (
	broker VARCHAR(48) NOT NULL, 
	grp VARCHAR(48) NOT NULL, 
	application VARCHAR(400) NOT NULL, 
	flow VARCHAR(400) NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	PRIMARY KEY (broker, grp, application, flow)
);
INSERT INTO "flow_state" VALUES('BRK','default','Shop','shop.Orders','stopped');
CREATE TABLE grp (
	broker VARCHAR(48) NOT NULL, 
	name VARCHAR(48) NOT NULL, 
	uuid VARCHAR(36) NOT NULL, 
	number INTEGER NOT NULL, 
	state VARCHAR(10) NOT NULL, 
	created VARCHAR(40) NOT NULL, 
	PRIMARY KEY (broker, name)
);
INSERT INTO "grp" VALUES('BRK','default','202c9447-9e6b-4fc5-8d2b-676f3ec6e599',0,'started','2026-11-18 20:43:51');
CREATE TABLE setting (
	broker VARCHAR(48) NOT NULL, 
	grp VARCHAR(48) NOT NULL, 
	section VARCHAR(40) NOT NULL, 
	object VARCHAR(500) NOT NULL, 
	name VARCHAR(700) NOT NULL, 
	value TEXT NOT NULL, 
	PRIMARY KEY (broker, grp, section, object, name)
);
INSERT INTO "setting" VALUES('BRK','default','override','Shop','shop.Orders#Get order.queueName','TEST.IN');
INSERT INTO "setting" VALUES('BRK','','property','QueueManager','channel','DEV.APP.SVRCONN');
INSERT INTO "setting" VALUES('BRK','','property','QueueManager','conn','127.0.0.1(1414)');
COMMIT;
