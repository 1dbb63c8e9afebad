"""Workout files, verified with independent libraries: Garmin's own SDK and fit-tool write FIT,
fitdecode reads it, tcxreader and tcxparser read our files. The module `WorkoutFiles` is called
through the program `workout-file-tool`, built with the Swift tests."""

import datetime
import json
import os
import random
import subprocess

import fitdecode
import garmin_fit_sdk
import pytest
import tcxparser
from fit_tool.fit_file_builder import FitFileBuilder
from fit_tool.profile.messages.file_id_message import FileIdMessage
from fit_tool.profile.messages.record_message import RecordMessage
from fit_tool.profile.messages.session_message import SessionMessage
from fit_tool.profile.profile_type import FileType, Sport, SubSport
from tcxreader.tcxreader import TCXReader

from instance import CHECKOUT

TOOL = os.environ.get("WORKOUT_FILE_TOOL", CHECKOUT / ".build/debug/workout-file-tool")
START = datetime.datetime(2026, 3, 2, 8, tzinfo=datetime.timezone.utc)
KINDS = {"power": 1, "heart_rate": 1, "cadence": 1, "enhanced_speed": 3.6, "distance": 1}
NAMES = {"heart_rate": "heartRate", "enhanced_speed": "speed"}


def ask(*arguments):
    """The tool's answer; never a crash."""
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, timeout=120)
    assert done.returncode in (0, 1), done
    return json.loads(done.stdout)


def moment(milliseconds):
    return datetime.datetime.fromtimestamp(milliseconds / 1000, datetime.timezone.utc)


def garmin(file, seed, chain=1, first=START):
    """A file from Garmin's encoder, with gaps and unknown fields; returns its contents, too."""
    chance = random.Random(seed)
    numbers = garmin_fit_sdk.Profile["mesg_num"]
    expected, data = [], b""
    for part in range(chain):
        encoder = garmin_fit_sdk.Encoder()
        start = first + datetime.timedelta(hours=part)
        encoder.write_mesg({"mesg_num": numbers["FILE_ID"], "type": "activity",
                            "manufacturer": "development", "product": 1, "time_created": start})
        encoder.write_mesg({"mesg_num": numbers["DEVICE_INFO"], "timestamp": start,
                            "product_name": "Bike 一號"})
        length = chance.randrange(2, 900)
        samples = {kind: [None] * length for kind in KINDS}
        for second in range(length):
            record = {"mesg_num": numbers["RECORD"], "temperature": 21,
                      "timestamp": start + datetime.timedelta(seconds=second)}
            for kind, value in [("power", chance.randrange(0, 1500)),
                                ("heart_rate", chance.randrange(40, 220)),
                                ("cadence", chance.randrange(0, 150)),
                                ("enhanced_speed", chance.randrange(0, 20_000) / 1000),
                                ("distance", second * 7.25)]:
                if chance.random() < 0.8 or second in (0, length - 1):
                    record[kind] = samples[kind][second] = value
            encoder.write_mesg(record)
        summary = {"total_elapsed_time": length + 30.0, "total_timer_time": float(length),
                   "total_distance": 12345.25, "total_calories": 321, "avg_power": 151,
                   "max_power": 1400, "avg_heart_rate": 127, "max_heart_rate": 199,
                   "avg_cadence": 81, "max_cadence": 140, "enhanced_avg_speed": 7.889,
                   "enhanced_max_speed": 15.25, "start_time": start, "sport": "cycling",
                   "timestamp": start + datetime.timedelta(seconds=length + 30)}
        encoder.write_mesg({"mesg_num": numbers["LAP"], **summary})
        encoder.write_mesg({"mesg_num": numbers["SESSION"], **summary,
                            "sub_sport": "indoor_cycling"})
        data += bytes(encoder.close())
        expected.append((start, length, samples))
    file.write_bytes(data)
    return expected


def check_samples(workout, samples):
    for kind, factor in KINDS.items():
        ours = workout["samples"][NAMES.get(kind, kind)]
        assert len(ours) == len(samples[kind]), kind
        for mine, theirs in zip(ours, samples[kind]):
            if theirs is None:
                assert mine is None, kind
            else:
                assert mine == pytest.approx(theirs * factor, abs=0.006), kind


@pytest.mark.parametrize("seed", range(8))
def test_a_file_by_garmins_own_encoder_comes_in_right(tmp_path, seed):
    file = tmp_path / "ride.fit"
    [(start, length, samples)] = garmin(file, seed)
    [workout] = ask("read", file)["workouts"]
    assert moment(workout["startedAt"]) == start
    assert moment(workout["endedAt"]) == start + datetime.timedelta(seconds=length + 30)
    assert (workout["machine"], workout["duration"], workout["paused"]) == ("bike", length, 30)
    assert (workout["energy"], workout["distance"]) == (321, 12345.25)
    assert workout["figures"] == pytest.approx({
        "averageHeartRate": 127, "maximumHeartRate": 199, "averagePower": 151,
        "maximumPower": 1400, "averageCadence": 81, "maximumCadence": 140,
        "averageSpeed": 7.889 * 3.6, "maximumSpeed": 15.25 * 3.6}, abs=0.001)
    check_samples(workout, samples)


def test_what_fitdecode_finds_in_a_file_is_what_we_find(tmp_path):
    file = tmp_path / "ride.fit"
    garmin(file, 99)
    found = {kind: {} for kind in KINDS}
    with fitdecode.FitReader(file, check_crc=fitdecode.CrcCheck.RAISE) as reader:
        for frame in reader:
            if frame.frame_type == fitdecode.FIT_FRAME_DATA and frame.name == "record":
                second = (frame.get_value("timestamp") - START).seconds
                for kind in KINDS:
                    found[kind][second] = frame.get_value(kind, fallback=None)
    length = max(found["power"]) + 1
    [workout] = ask("read", file)["workouts"]
    check_samples(workout, {
        kind: [values.get(second) for second in range(length)] for kind, values in found.items()})


def test_chained_files_are_several_workouts(tmp_path):
    file = tmp_path / "rides.fit"
    expected = garmin(file, 5, chain=3)
    workouts = ask("read", file)["workouts"]
    assert len(workouts) == 3
    for workout, (start, _, samples) in zip(workouts, expected):
        assert moment(workout["startedAt"]) == start
        check_samples(workout, samples)


def test_a_rowers_file_by_fit_tool_comes_in_right(tmp_path):
    builder = FitFileBuilder(auto_define=True)
    start = round(START.timestamp() * 1000)
    head = FileIdMessage()
    head.type, head.time_created, head.manufacturer = FileType.ACTIVITY, start, 255
    builder.add(head)
    for second in range(120):
        record = RecordMessage()
        record.timestamp, record.power = start + second * 1000, 100 + second
        record.heart_rate, record.cadence, record.distance = 90 + second // 10, 24, second * 3.5
        builder.add(record)
    session = SessionMessage()
    session.start_time, session.timestamp = start, start + 120_000
    session.total_elapsed_time = session.total_timer_time = 120.0
    session.total_distance, session.total_calories = 420.0, 17
    session.sport, session.sub_sport = Sport.ROWING, SubSport.INDOOR_ROWING
    builder.add(session)
    file = tmp_path / "row.fit"
    builder.build().to_file(str(file))
    [workout] = ask("read", file)["workouts"]
    assert (workout["machine"], workout["duration"]) == ("rower", 120)
    assert (workout["distance"], workout["energy"]) == (420, 17) and "paused" not in workout
    assert workout["samples"]["power"] == [100 + second for second in range(120)]
    assert workout["samples"]["distance"] == [second * 3.5 for second in range(120)]
    assert workout["figures"]["maximumHeartRate"] == 101


@pytest.mark.parametrize("seed", range(3))
def test_tcx_that_we_write_says_the_same_to_others(tmp_path, seed):
    file, tcx = tmp_path / "ride.fit", tmp_path / "ride.tcx"
    [(start, length, samples)] = garmin(file, seed)
    ask("tcx", file, tcx)
    exercise = TCXReader().read(str(tcx), only_gps=False)
    assert (exercise.activity_type, exercise.calories) == ("Biking", 321)
    assert exercise.distance == pytest.approx(12345.25)
    # The last point has the end time.
    points = [point for point in exercise.trackpoints if point.hr_value is not None
              or point.cadence is not None or point.distance is not None or point.tpx_ext]
    assert points and len(exercise.trackpoints) - len(points) <= 1
    for point in points:
        second = (point.time.replace(tzinfo=datetime.timezone.utc) - start).seconds
        assert point.hr_value == samples["heart_rate"][second]
        assert point.cadence == samples["cadence"][second]
        assert point.tpx_ext.get("Watts") == samples["power"][second]
        assert point.distance == samples["distance"][second]
    [lap] = exercise.laps
    assert lap.lx_ext["AvgWatts"] == 151 and lap.lx_ext["MaxWatts"] == 1400
    other = tcxparser.TCXParser(str(tcx))
    assert other.activity_type == "biking" and other.duration == length
    assert other.power_values() == [value for value in samples["power"] if value is not None]
    assert other.hr_values() == [value for value in samples["heart_rate"] if value is not None]


@pytest.mark.parametrize("kind", ["tcx", "csv"])
def test_what_we_write_we_read_as_it_was(tmp_path, kind):
    file, written = tmp_path / "ride.fit", tmp_path / f"ride.{kind}"
    garmin(file, 3)
    first = ask(kind, file, written)
    assert ask("read", written) == first


@pytest.mark.parametrize("place", [0, 5, 13, 20, -1])
def test_a_broken_file_is_an_error(tmp_path, place):
    file = tmp_path / "ride.fit"
    garmin(file, 3)
    data = bytearray(file.read_bytes())
    data[place] ^= 0x5A
    file.write_bytes(data)
    assert ask("read", file)["error"] in ("broken", "unknown_format")
