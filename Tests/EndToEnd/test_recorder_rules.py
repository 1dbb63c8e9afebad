"""The recorder's rules, run in the browser: what bytes mean, and how a workout grows."""

import pytest


class Module:
    """Runs functions over what a script of the pages exports."""

    def __init__(self, page):
        self.page = page

    def __call__(self, name, function, *arguments):
        return self.page.evaluate("""async ([name, text, all]) => {
          const app = document.querySelector("script[type=module]").src;
          const found = await import(app.replace(/app[.]js$/, `workouts/${name}.js`));
          const view = (bytes) => new DataView(new Uint8Array(bytes).buffer);
          // The pages forbid evaluating text, so the functions that tests name stand here.
          const does = {
            bike: (bytes) => found.decodeBike(view(bytes)) ?? null,
            rower: (bytes) => found.decodeRower(view(bytes)) ?? null,
            heart: (bytes) => found.decodeHeartRate(view(bytes)) ?? null,
            status: (bytes) => found.decodeStatus(view(bytes)) ?? null,
            answer: (bytes) => found.decodeAnswer(view(bytes)) ?? null,
            range: (bytes, step) => found.decodeRange(view(bytes), step) ?? null,
            feature: (bytes) => {
              const { features, targets } = found.decodeFeature(view(bytes));
              return { features: [...features], targets: [...targets] };
            },
            command: (which, ...values) => [...found.commands[which](...values)],
            reading: (packets, now) => {
              const reading = new found.Reading();
              for (const [bytes, at] of packets) reading.take(found.decodeRower(view(bytes)), at);
              return reading.at(now);
            },
            counter: (kind, seen) => {
              const counter = new found.Counter(kind, found.Counter.blank());
              return seen.map(([value, at]) => counter.take(value, at));
            },
            // Steps are [what, at, values]; gives the ride and its session at the end.
            ride: (steps, options) => {
              const ride = found.begin("00000000-0000-4000-8000-000000000000", 0, options ?? {});
              for (const [what, at, values] of steps) found[what](ride, at, values);
              return { ride, session: found.session(ride) };
            },
            typed: (steps, values) => {
              const ride = found.begin("00000000-0000-4000-8000-000000000000", 0, {});
              for (const [what, at, values] of steps) found[what](ride, at, values);
              return found.session(ride, values);
            },
            stage: (stages, at) => found.stageAt(stages, at) ?? null,
            aim: (stage, values) => found.aim(stage, values) ?? null,
            number: (text) => {
              const value = found.typed(text);
              return value === undefined ? "none" : Number.isNaN(value) ? "wrong" : value;
            },
          };
          return does[text](...all);
        }""", [name, function, list(arguments)])


@pytest.fixture(scope="module")
def run(site, browser):
    context = browser.new_context(base_url=site.url)
    page = context.new_page()
    page.goto("/about")
    yield Module(page)
    context.close()


def u16(value):
    return list((value & 0xFFFF).to_bytes(2, "little"))


def u24(value):
    return list(value.to_bytes(3, "little"))


# What machines say.

WHOLE_BIKE = (u16(0x1FFE) + u16(3015) + u16(2800) + u16(171) + u16(160) + u24(70_000) + u16(-3)
              + u16(188) + u16(-5) + u16(163) + u16(620) + [10] + [142] + [85] + u16(1086)
              + u16(714))
WHOLE_ROWER = (u16(0x1FFE) + [53] + u16(300) + [50] + u24(4_000) + u16(125) + u16(130)
               + u16(210) + u16(-1) + u16(7) + u16(80) + u16(700) + [11] + [151] + [103]
               + u16(600) + u16(0))


@pytest.mark.parametrize("name, bytes, values", [
    ("every field of a bike", WHOLE_BIKE,
     dict(speed=30.15, averageSpeed=28, cadence=85.5, averageCadence=80, distance=70_000,
          resistance=-3, power=188, averagePower=-5, energy=163, energyPerHour=620,
          energyPerMinute=10, heartRate=142, metabolic=8.5, elapsed=1086, remaining=714)),
    ("speed alone", u16(0) + u16(1), dict(speed=0.01)),
    ("nothing but that more follows", u16(1), {}),
    ("more follows, so no speed", u16(0x41) + u16(200), dict(power=200)),
    ("power below none", u16(0x40) + u16(0) + u16(-12), dict(speed=0, power=-12)),
    ("energy that is not available", u16(0x100) + u16(500) + u16(0xFFFF) * 2 + [0xFF],
     dict(speed=5)),
    ("reserved flags and bytes at the end", u16(0xE044) + u16(3000) + u16(160) + u16(150)
     + [1, 2, 3, 4], dict(speed=30, cadence=80, power=150)),
])
def test_a_bike_s_packet_is_read(run, name, bytes, values):
    packet = run("ftms", "bike", bytes)
    assert packet["values"] == values
    assert packet["more"] == bool(bytes[0] & 1)
    assert packet["short"] is False


@pytest.mark.parametrize("name, bytes, values", [
    ("every field of a rower", WHOLE_ROWER,
     dict(cadence=26.5, strokes=300, averageCadence=25, distance=4_000, pace=125,
          averagePace=130, power=210, averagePower=-1, resistance=7, energy=80,
          energyPerHour=700, energyPerMinute=11, heartRate=151, metabolic=10.3, elapsed=600,
          remaining=0)),
    ("no pace while nobody rows", u16(0x09) + u16(0xFFFF), {}),
    ("strokes alone", u16(0) + [40] + u16(65_535), dict(cadence=20, strokes=65_535)),
])
def test_a_rower_s_packet_is_read(run, name, bytes, values):
    assert run("ftms", "rower", bytes)["values"] == values


@pytest.mark.parametrize("length", range(len(WHOLE_BIKE)))
def test_a_packet_that_is_cut_short_gives_what_came_whole(run, length):
    packet = run("ftms", "bike", WHOLE_BIKE[:length])
    if length < 2:
        assert packet is None
        return
    whole = run("ftms", "bike", WHOLE_BIKE)["values"]
    assert packet["short"] is True
    assert packet["values"].items() <= whole.items()
    assert len(packet["values"]) < len(whole)


def test_a_reading_split_over_packets_is_one(run):
    first = u16(0x0D) + u24(4_000) + u16(125)
    second = u16(0x20) + [52] + u16(9) + u16(180)
    values = run("ftms", "reading", [[first, 0], [second, 40]], 1_000)
    assert values == dict(distance=4_000, pace=125, cadence=26, strokes=9, power=180)


def test_a_value_that_no_packet_renews_ends(run):
    first, second = u16(0x21) + u16(180), u16(0) + [52] + u16(9)
    values = run("ftms", "reading", [[first, 0], [second, 2_900]], 3_001)
    assert values == dict(cadence=26, strokes=9)


@pytest.mark.parametrize("bytes, heart, beats", [
    ([0x00, 72], 72, []),
    ([0x01, 0x48, 0x00], 72, []),
    ([0x06, 72], 72, []),
    ([0x04, 72], None, []),
    ([0x00, 0], None, []),
    ([0x10, 60, 0, 4, 0, 2], 60, [1, 0.5]),
    ([0x18, 60, 9, 0, 0, 4, 7], 60, [1]),
])
def test_a_belt_s_packet_is_read(run, bytes, heart, beats):
    found = run("ftms", "heart", bytes)
    assert found.get("heartRate") == heart
    assert found["beats"] == beats


@pytest.mark.parametrize("bytes", [[], [0x00], [0x01, 72]])
def test_a_belt_s_packet_without_a_rate_is_none(run, bytes):
    assert run("ftms", "heart", bytes) is None


def test_features_and_targets_are_named(run):
    found = run("ftms", "feature", [0x86, 0x44, 0, 0, 0x0C, 0x20, 0, 0])
    assert found["features"] == ["cadence", "distance", "resistance", "heartRate", "power"]
    assert found["targets"] == ["resistance", "power", "simulation"]
    assert run("ftms", "feature", [1, 2]) == {"features": [], "targets": []}


@pytest.mark.parametrize("bytes, told", [
    ([0x02, 1], {"event": "stopped"}), ([0x02, 2], {"event": "paused"}),
    ([0x02], {"event": "stopped"}), ([0x03], {"event": "safetyKey"}),
    ([0x04], {"event": "started"}), ([0x07, 45], {"event": "resistance", "value": 4.5}),
    ([0x08, 0x06, 0xFF], {"event": "power", "value": -250}), ([0x08, 1], {"event": "power"}),
    ([0xFF], {"event": "controlLost"}), ([0x77, 1], {"event": "other"}), ([], None),
])
def test_what_happens_at_a_machine_is_read(run, bytes, told):
    assert run("ftms", "status", bytes) == told


@pytest.mark.parametrize("bytes, answer", [
    ([0x80, 0x05, 1], {"code": 5, "result": "done"}),
    ([0x80, 0x04, 3], {"code": 4, "result": "invalid"}),
    ([0x80, 0x00, 5], {"code": 0, "result": "notPermitted"}),
    ([0x80, 0x00, 99], {"code": 0, "result": "failed"}),
    ([0x80, 0x00], None), ([0x81, 0, 1], None),
])
def test_an_answer_is_read(run, bytes, answer):
    assert run("ftms", "answer", bytes) == answer


@pytest.mark.parametrize("command, values, bytes", [
    ("control", [], [0]), ("start", [], [7]), ("stop", [], [8, 1]), ("pause", [], [8, 2]),
    ("power", [190], [5, 190, 0]), ("power", [300], [5, 0x2C, 1]),
    ("power", [-1], [5, 0xFF, 0xFF]), ("resistance", [4.5], [4, 45]),
    ("resistance", [99], [4, 255]), ("resistance", [-1], [4, 0]),
])
def test_a_command_is_written(run, command, values, bytes):
    assert run("ftms", "command", command, *values) == bytes


def test_a_range_is_read_in_its_steps(run):
    tenths = run("ftms", "range", u16(10) + u16(200) + u16(5), 0.1)
    assert tenths == {"least": 1, "most": 20, "step": 0.5}
    assert run("ftms", "range", [1, 2, 3], 1) is None


# What is counted up.

@pytest.mark.parametrize("name, kind, seen, added", [
    ("begins anywhere", "distance", [(5_000, 0), (5_008, 1_000)], [0, 8]),
    ("wraps", "distance", [((1 << 24) - 3, 0), (5, 1_000)], [0, 8]),
    ("wraps", "energy", [(65_535, 0), (1, 5_000)], [0, 2]),
    ("begins anew", "distance", [(5_000, 0), (6, 1_000), (14, 2_000)], [0, 6, 8]),
    ("begins anew after a long gap", "distance", [(5_000, 0), (400, 60_000)], [0, 400]),
    ("shows another's work", "distance", [(5_000, 0), (3_000, 1_000), (3_008, 2_000)],
     [0, 0, 8]),
    ("leaps", "distance", [(5_000, 0), (9_000, 1_000), (9_008, 2_000)], [0, 0, 8]),
    ("went on in a gap", "distance", [(5_000, 0), (5_500, 60_000)], [0, 500]),
])
def test_a_counter(run, name, kind, seen, added):
    assert run("counter", "counter", kind, seen) == added


# How a workout grows.

def taken(*values, start=1_000, step=1_000):
    return [["take", start + place * step, value] for place, value in enumerate(values)]


def test_each_second_has_a_sample(run):
    got = run("recording", "ride", taken(*[{"power": 100 + n} for n in range(5)]))
    samples = got["session"]["detail"]["samples"]
    assert samples == {"interval": 1, "power": [100, 101, 102, 103, 104]}
    assert got["session"]["duration"] == 5
    assert got["session"]["detail"]["avg_power"] == 102
    assert got["session"]["detail"]["max_power"] == 104
    assert got["session"]["detail"]["avg_hr"] is None


def test_a_gap_stays_empty_and_a_slow_machine_does_not(run):
    slow = [["take", at, {"power": 100}] for at in (1_000, 3_000, 5_000)]
    got = run("recording", "ride", slow + [["take", 12_000, {"power": 200}]])
    power = got["session"]["detail"]["samples"]["power"]
    assert power == [100, 100, 100, 100, 100, 100] + [None] * 5 + [200]
    assert got["session"]["duration"] == 12


def test_a_value_that_one_device_stopped_telling_is_not_held(run):
    steps = taken({"power": 100, "heartRate": 120}, *[{"heartRate": 121}] * 4)
    samples = run("recording", "ride", steps)["session"]["detail"]["samples"]
    assert samples["power"] == [100, None, None, None, None]
    assert samples["heart_rate"] == [120, 121, 121, 121, 121]


def test_a_tab_that_slept_counts_the_time(run):
    got = run("recording", "ride", [["tick", 1_000], ["tick", 3_600_000]])
    assert got["session"]["duration"] == 3_600
    assert got["session"]["paused"] == 0


def test_a_pause_is_no_time_in_motion(run):
    got = run("recording", "ride", [
        *taken({"power": 100}, {"power": 100}), ["pause", 2_500], ["tick", 9_000],
        ["take", 10_000, {"power": 400}], ["resume", 32_500], ["take", 33_500, {"power": 200}]])
    session = got["session"]
    assert (session["duration"], session["paused"]) == (3.5, 30)
    assert session["detail"]["samples"]["power"][-1] == 200
    assert session["detail"]["max_power"] == 200


def test_a_clock_that_is_set_back_takes_nothing_away(run):
    got = run("recording", "ride", [*taken({"power": 100}, {"power": 100}), ["tick", -50_000]])
    assert got["session"]["duration"] == 2


def test_a_clock_that_is_set_back_takes_no_distance_away(run):
    steps = taken(*[{"speed": 36, "power": 200}] * 61) + [
        ["take", -50_000, {"speed": 36, "power": 200}]]
    session = run("recording", "ride", steps)["session"]
    assert (session["total_distance"], session["total_energy"]) == (600, 12)


def test_what_a_machine_counts_in_a_pause_is_not_the_workout_s(run):
    got = run("recording", "ride", [
        ["take", 1_000, {"distance": 100}], ["take", 2_000, {"distance": 108}],
        ["pause", 2_000], ["take", 3_000, {"distance": 120}], ["take", 9_000, {"distance": 150}],
        ["resume", 10_000], ["take", 11_000, {"distance": 158}]])
    assert got["session"]["total_distance"] == 16


def test_a_machine_that_counts_nothing_is_counted_by_its_speed_and_power(run):
    got = run("recording", "ride", taken(*[{"speed": 36, "power": 200}] * 61))
    assert got["session"]["total_distance"] == 600
    assert got["session"]["total_energy"] == 12


def test_a_counter_goes_before_speed(run):
    steps = taken(*[{"speed": 36, "distance": 1_000 + 8 * n} for n in range(11)])
    assert run("recording", "ride", steps)["session"]["total_distance"] == 80


def test_a_rower_s_pace_is_its_speed(run):
    steps = taken(*[{"pace": 120, "power": 200}] * 5)
    assert run("recording", "ride", steps)["session"]["detail"]["avg_speed"] == 15


@pytest.mark.parametrize("values", [
    {"power": 5_000}, {"heartRate": 12}, {"heartRate": 255}, {"speed": 2_000}])
def test_what_nobody_can_do_was_not_measured(run, values):
    detail = run("recording", "ride", taken(values, values))["session"]["detail"]
    assert "samples" not in detail
    assert detail["max_power"] is None and detail["max_hr"] is None


def test_a_workout_ends_after_a_day(run):
    got = run("recording", "ride", [["tick", 90_000_000], ["take", 90_001_000, {"power": 1}]])
    assert got["session"]["duration"] == 86_400
    assert len(got["session"]["detail"]["samples"]["power"]) <= 86_400


def test_a_page_that_was_gone_is_a_pause(run):
    got = run("recording", "ride", [
        *taken(*[{"power": 100, "distance": 10 * n} for n in range(6)]),
        ["recover", 0], ["resume", 600_000], ["take", 601_000, {"power": 100, "distance": 3}],
        ["take", 602_000, {"power": 100, "distance": 13}]])
    session = got["session"]
    assert (session["duration"], session["paused"]) == (8, 594)
    assert session["total_distance"] == 60


def test_less_than_a_second_is_no_workout(run):
    assert run("recording", "ride", [["tick", 900]])["session"] is None


def test_typed_figures_stand_in_for_what_no_device_measured(run):
    got = run("recording", "typed", [["tick", 60_000]],
              {"distance": 12_300, "energy": 200, "avg_hr": 130, "device": "rower"})
    assert (got["total_distance"], got["total_energy"]) == (12_300, 200)
    assert (got["device_type"], got["detail"]["avg_hr"]) == ("rower", 130)


# Stages.

STAGES = [{"seconds": 60, "target": "free", "value": None, "text": "Warm up"},
          {"seconds": 30, "target": "power", "value": 200, "text": "Climb"},
          {"seconds": 30, "target": "resistance", "value": 8, "text": ""}]


@pytest.mark.parametrize("at, index, left", [
    (0, 0, 60), (59.9, 0, 0.1), (60, 1, 30), (89, 1, 1), (90, 2, 30), (119, 2, 1)])
def test_the_stage_of_a_moment(run, at, index, left):
    found = run("stages", "stage", STAGES, at)
    assert found["index"] == index
    assert found["left"] == pytest.approx(left)
    assert found["leftInAll"] == pytest.approx(120 - at)


def test_after_the_last_stage_there_is_none(run):
    assert run("stages", "stage", STAGES, 120) is None


@pytest.mark.parametrize("power, state", [
    (200, "on"), (190, "on"), (189, "below"), (210, "on"), (211, "above"), (None, "unknown")])
def test_an_aim_is_met_within_a_twentieth(run, power, state):
    values = {} if power is None else {"power": power}
    assert run("stages", "aim", STAGES[1], values)["state"] == state


def test_a_stage_of_its_own_way_has_no_aim(run):
    assert run("stages", "aim", STAGES[0], {"power": 100}) is None


@pytest.mark.parametrize("text, value", [
    ("12.5", 12.5), ("12,5", 12.5), (" 7 ", 7), ("1 000", 1000), ("", "none"), ("-1", "wrong"),
    ("12,5,1", "wrong"), ("a", "wrong"), ("1e3", "wrong")])
def test_a_typed_number(run, text, value):
    assert run("recorder-words", "number", text) == value
