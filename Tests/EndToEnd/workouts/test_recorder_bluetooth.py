"""Connecting with Chromium's own Web Bluetooth, with an emulated machine. The emulation can't
send notifications: everything after subscribing is tested with a simulated machine."""

import base64

import pytest

from conftest import CHROMIUM, PHONE
from instance import wait_until

ADDRESS = "09:09:09:09:09:09"
FEATURES = bytes([0x86, 0x44, 0, 0, 0x0C, 0, 0, 0])


def full(uuid):
    return f"0000{uuid:04x}-0000-1000-8000-00805f9b34fb"


class EmulatedBike:
    """Answers the browser's requests whenever `answer` is called."""

    def __init__(self, browser, page):
        self.air = browser.new_browser_cdp_session()
        self.access = page.context.new_cdp_session(page)
        self.events = []
        self.seen = []
        self.names = {}
        for kind in ("gattOperationReceived", "characteristicOperationReceived",
                     "descriptorOperationReceived"):
            self.air.on(f"BluetoothEmulation.{kind}",
                        lambda event, kind=kind: self.events.append((kind, event)))
        self.access.on("DeviceAccess.deviceRequestPrompted",
                       lambda event: self.events.append(("prompt", event)))
        self.prompts = set()
        self.access.send("DeviceAccess.enable")
        self.air.send("BluetoothEmulation.enable", {"state": "powered-on", "leSupported": True})
        self.air.send("BluetoothEmulation.simulatePreconnectedPeripheral", {
            "address": ADDRESS, "name": "SF-Bike-2041", "manufacturerData": [],
            "knownServiceUuids": [full(0x1826)]})

    def add_services(self):
        service = self.air.send("BluetoothEmulation.addService", {
            "address": ADDRESS, "serviceUuid": full(0x1826)})["serviceId"]
        for uuid, properties in [
                (0x2ACC, {"read": True}), (0x2AD2, {"notify": True}), (0x2ADA, {"notify": True}),
                (0x2AD9, {"write": True, "indicate": True})]:
            added = self.air.send("BluetoothEmulation.addCharacteristic", {
                "serviceId": service, "characteristicUuid": full(uuid), "properties": properties})
            self.names[added["characteristicId"]] = uuid
            if "read" not in properties:
                self.air.send("BluetoothEmulation.addDescriptor", {
                    "characteristicId": added["characteristicId"], "descriptorUuid": full(0x2902)})

    def answer(self):
        while self.events:
            kind, event = self.events.pop(0)
            if kind == "prompt":
                # Choosing twice in one prompt would crash the browser.
                if event["devices"] and event["id"] not in self.prompts:
                    self.prompts.add(event["id"])
                    self.access.send("DeviceAccess.selectPrompt", {
                        "id": event["id"], "deviceId": event["devices"][0]["id"]})
            elif kind == "gattOperationReceived":
                self.seen.append(event["type"])
                if event["type"] == "discovery":
                    self.add_services()
                self.air.send("BluetoothEmulation.simulateGATTOperationResponse", {
                    "address": ADDRESS, "type": event["type"], "code": 0})
            elif kind == "characteristicOperationReceived":
                self.reply(event)

    def reply(self, event):
        name = self.names[event["characteristicId"]]
        data = base64.b64decode(event.get("data", ""))
        self.seen.append((event["type"], name, *data))
        answer = {"characteristicId": event["characteristicId"], "type": event["type"], "code": 0}
        if event["type"] == "read":
            answer["data"] = base64.b64encode(FEATURES).decode()
        self.air.send("BluetoothEmulation.simulateCharacteristicOperationResponse", answer)


@pytest.fixture
def chromium(playwright):
    arguments = [*CHROMIUM["args"], "--enable-features=WebBluetooth"]
    browser = playwright.chromium.launch(**CHROMIUM | {"args": arguments})
    yield browser
    browser.close()


def test_a_machine_is_asked_for_found_and_listened_to(site, chromium):
    context = chromium.new_context(base_url=site.url, **PHONE)
    page = context.new_page()
    page.goto("/checkin")
    page.locator("#display_name").fill("Rider")
    page.locator("#contact_email").fill("kin@example.test")
    page.locator("button[name=button][value=save]").click()
    page.locator("body[data-user]").wait_for()
    bike = EmulatedBike(chromium, page)
    page.goto("/workouts/record")
    page.locator("[data-devices]").wait_for()
    page.locator("[data-device=machine] [data-connect]").click()

    def is_ready():
        bike.answer()
        return page.locator("[data-device=machine][data-at=ready]").count()
    wait_until(is_ready, 25, "the machine")
    assert page.get_by_text("Connected: SF-Bike-2041").is_visible()
    assert bike.seen[:2] == ["connection", "discovery"]
    assert ("read", 0x2ACC) in bike.seen
    for name in (0x2AD2, 0x2ADA, 0x2AD9):
        assert ("subscribe-to-notifications", name) in bike.seen
    assert ("write", 0x2AD9, 0x00) in bike.seen
