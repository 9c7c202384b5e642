"""The log for TensorBoard: TFRecords of events, which protobuf's own library reads back."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import msgspec
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from fiedler.training.loop.events import ScalarLog, crc32c
from fiedler.training.recipe.entry import Strength
from tests.training.test_picture import entry, log

FIELDS = {
    "Event": [
        ("wall_time", 1, "TYPE_DOUBLE"),
        ("step", 2, "TYPE_INT64"),
        ("file_version", 3, "TYPE_STRING"),
        ("summary", 5, "Summary"),
    ],
    "Summary": [("value", 1, "Value")],
    "Value": [("tag", 1, "TYPE_STRING"), ("simple_value", 2, "TYPE_FLOAT")],
}
"""The part of tensorflow/core/util/event.proto and tensorflow/core/framework/summary.proto that scalars need."""


def event_type() -> type:
    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="event.proto", package="test", syntax="proto3")
    for name, fields in FIELDS.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            one = message.field.add(name=field, number=number, label=field_type.LABEL_OPTIONAL)
            if kind.startswith("TYPE_"):
                one.type = getattr(field_type, kind)
            else:
                one.type, one.type_name = field_type.TYPE_MESSAGE, f".test.{kind}"
                one.label = field_type.LABEL_REPEATED if field == "value" else field_type.LABEL_OPTIONAL
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    found: type = message_factory.GetMessageClass(pool.FindMessageTypeByName("test.Event"))
    return found


EVENT = event_type()
Read = tuple[float, int, dict[str, float]]


def unmasked(masked: int) -> int:
    rotated = (masked - 0xA282EAD8) & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def events(folder: Path) -> list[Read]:
    """Time, step and numbers of every event after the first, which has the version."""
    (path,) = folder.glob("events.out.tfevents.*")
    data, found = path.read_bytes(), []
    while data:
        (length, sum_of_length) = struct.unpack("<QI", data[:12])
        body, (checksum,) = data[12 : 12 + length], struct.unpack("<I", data[12 + length : 16 + length])
        assert unmasked(sum_of_length) == crc32c(data[:8])
        assert unmasked(checksum) == crc32c(body)
        event = EVENT()
        event.ParseFromString(body)
        found.append(event)
        data = data[16 + length :]
    assert found[0].file_version == "brain.Event:2"
    return [(one.wall_time, one.step, {v.tag: v.simple_value for v in one.summary.value}) for one in found[1:]]


def test_the_checksum_is_crc_32c() -> None:
    """The examples of RFC 3720, B.4, and the usual check."""
    assert crc32c(bytes(32)) == 0x8A9136AA
    assert crc32c(b"\xff" * 32) == 0x62A8AB43
    assert crc32c(bytes(range(32))) == 0x46DD794E
    assert crc32c(b"123456789") == 0xE3069283


def test_every_iteration_is_an_event(tmp_path: Path) -> None:
    one = msgspec.structs.replace(entry(2, 1.5, 0.25), strength={"mcts": Strength(0.5, 0.25, 0.75, 200)})
    ScalarLog(tmp_path).update([entry(1, 2.0, 0.5), one])
    (first, step, before), (second, following, after) = events(tmp_path)
    assert (step, following, second - first) == (1, 2, 60.0)
    assert (before["loss/policy"], before["loss/value"], before["log/games"], before["log/rate"]) == (2.0, 0.5, 1, 1)
    assert {tag for tag in after if tag not in before} == {"score/mcts", "score_low/mcts", "score_high/mcts"}
    assert (after["score/mcts"], after["score_low/mcts"], after["score_high/mcts"]) == (0.5, 0.25, 0.75)
    assert not any(tag.endswith(("iteration", "policy_loss", "strength")) for tag in after)


def test_iterations_are_appended_and_a_stopped_write_is_completed(tmp_path: Path) -> None:
    writer = ScalarLog(tmp_path)
    for length in (1, 2, 2, 200):
        writer.update(log(length))
    (path,) = tmp_path.iterdir()
    whole = path.read_bytes()
    assert [step for _, step, _ in events(tmp_path)] == list(range(1, 201))
    for half in (b"", whole[:7], whole[: len(whole) // 2], whole[:-1] + b"x", whole + b"more"):
        path.write_bytes(half)
        again = ScalarLog(tmp_path)
        again.update(log(200))
        assert path.read_bytes() == whole
        again.update(log(201))
        assert len(events(tmp_path)) == 201


@pytest.mark.parametrize("loss", [math.inf, -1e300, 0.0])
def test_any_number_is_written(tmp_path: Path, loss: float) -> None:
    ScalarLog(tmp_path).update([entry(1, loss, math.nan)])
    ((_, _, found),) = events(tmp_path)
    assert found["loss/policy"] == (loss if abs(loss) < 1e38 else math.copysign(math.inf, loss))
    assert math.isnan(found["loss/value"])
