"""Two nodes behind haproxy, on PostgreSQL with a synchronous standby and Redis: under load, a node is
killed, the standby takes over from the killed primary, and Redis restarts. Nothing acknowledged is
lost or doubled (docs/developer/several-machines.md)."""

import time
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace

import pytest

from crash_test import LATER, CrashTest, healthy
from instance import Instance, wait_until
from people import Visitor
from servers import Balancer, PostgreSQL, Redis
from state_ledgers import (
    AppPosts, CheckIns, Follows, Groups, Likes, Posts, Registrations, Settings, Workouts)
from test_faults import smtp
from test_faults_services import Listener
from test_wallet import call

# Acknowledged changes before and after each fault.
LOAD = 100


class Cluster:
    """What a crash test needs of a site, in front of two nodes."""

    def __init__(self, folder):
        self.folder = folder
        self.nodes, self.started = [], []
        self.balancer = Balancer(folder / "haproxy")
        self.port = self.balancer.port
        self.host = f"127.0.0.1:{self.port}"
        self.url = f"http://{self.host}"
        self.secrets = folder / "secrets"
        # Variables of all nodes, which a crash test changes.
        self.environment = {}

    def begin(self, **variables):
        folder = self.folder
        self.redis = self.begun(Redis(folder / "redis"))
        self.primary = self.begun(PostgreSQL())
        self.primary.sql("CREATE DATABASE pairspot")
        self.standby = self.begun(PostgreSQL(self.primary))
        self.primary.wait_for_standby()
        self.database = self.primary
        addresses = ",".join(
            f"127.0.0.1:{server.port}" for server in (self.primary, self.standby))
        (folder / "media").mkdir()
        self.nodes = [self.node(folder / name, variables | {
            "PAIRSPOT_BASE_URL": self.url, "PAIRSPOT_TRUSTED_PROXIES": "127.0.0.1",
            "PAIRSPOT_SECRETS": str(self.secrets), "PAIRSPOT_REDIS_URL": self.redis.url,
            "PAIRSPOT_DATABASE_URL":
                f"postgresql://tests@{addresses}/pairspot?target_session_attrs=read-write",
        }) for name in "ab"]
        # The first node makes the demonstration.
        self.nodes[0].environment["PAIRSPOT_DEMO"] = "1"
        self.start()
        del self.nodes[0].environment["PAIRSPOT_DEMO"]
        self.balancer.nodes = self.nodes
        self.begun(self.balancer)

    def begun(self, server):
        self.started.append(server)
        return server.start()

    def node(self, folder, variables):
        (folder / "var").mkdir(parents=True)
        # As a network's file system.
        (folder / "var/media").symlink_to(self.folder / "media")
        node = Instance(folder, **variables)
        node.demonstration = None
        return node

    def start(self):
        for node in self.nodes:
            node.environment |= self.environment
            node.start()

    def stop(self):
        for node in self.nodes:
            node.stop()

    def end(self):
        for node in self.nodes:
            if node.process and node.process.poll() is None:
                node.stop()
        for server in reversed(self.started):
            server.remove() if isinstance(server, PostgreSQL) else server.kill()

    def is_healthy(self):
        return all(node.is_healthy() for node in self.nodes)

    def sql(self, statement, *values):
        return self.database.sql(statement, *values, database="pairspot")

    def demo_password(self):
        return (self.secrets / "demo").read_text().strip()

    def seen_at(self, node):
        """The site as one node shows it, for those who pass the balancer by."""
        return SimpleNamespace(
            port=node.port, host=self.host, url=self.url, demo_password=self.demo_password)

    # MARK: Faults

    def lose_a_node(self):
        CrashTest(self.nodes[1]).kill_whole("everything")

    def lose_the_primary(self):
        self.primary.kill()
        self.standby.promote()
        self.database = self.standby

    def restart_redis(self):
        self.redis.kill()
        time.sleep(3)
        self.redis.start()


class ClusterTest(CrashTest):
    def goes_on(self):
        """Waits for further changes; false if a writer has failed."""
        wanted = self.acknowledged + LOAD
        wait_until(
            lambda: self.acknowledged >= wanted or self.failed(), 120, "further changes")
        return not self.failed()

    def run_through(self, writers, faults):
        with self.at_work(writers):
            for fault in faults:
                if not self.goes_on():
                    return
                begun = time.monotonic()
                fault()
                if self.goes_on():
                    print(f"{fault.__name__}: {LOAD} changes after {time.monotonic() - begun:.1f} s")
            wait_until(self.site.is_healthy, 60, "well nodes")
        self.settle()

    def check(self):
        for writer in self.writers:
            writer.check()
        assert self.strange == []
        now = datetime.now(timezone.utc) + LATER + timedelta(minutes=1)
        for node in self.site.nodes:
            healthy(node, now.strftime("%Y-%m-%dT%H:%M:%SZ"))


@pytest.fixture
def cluster(tmp_path, sink):
    made = Cluster(tmp_path)
    try:
        made.begin(**smtp(sink.port))
        yield made
    finally:
        made.end()


@pytest.mark.long
def test_nothing_acknowledged_is_lost_or_doubled_while_parts_of_a_cluster_fail(cluster, sink):
    test = ClusterTest(cluster)
    writers = [
        *(kind(test) for kind in (
            Posts, AppPosts, Likes, Follows, Settings, Workouts, Groups)),
        *(kind(test, sink) for kind in (Registrations, CheckIns))]
    test.run_through(
        writers, [cluster.lose_a_node, cluster.lose_the_primary, cluster.restart_redis])
    test.check()
    # Whichever node a member writes to, listeners of both hear of it.
    guest = call(cluster, "/auth/guest", {"display_name": "Joren"})[1]["access_token"]
    listeners = [
        Listener(cluster.seen_at(node), "/posts", guest) for node in cluster.nodes]
    mei = Visitor(cluster.seen_at(cluster.nodes[0])).sign_in("mei@example.test")
    assert mei.write("Heard everywhere").status == 303
    for listener in listeners:
        wait_until(listener.newest, 10, "word of the post")
