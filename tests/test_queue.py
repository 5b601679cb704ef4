"""Queues: what waits, what is refused, and what becomes of a gradient."""

from __future__ import annotations

import threading

import pytest

from tapelab.queue import buffer


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch):
    monkeypatch.setattr(buffer, "PATIENCE", 0.05)


def test_taking_from_an_empty_queue_ends_with_an_error(tf):
    queue = tf.queue.FIFOQueue(2, tf.float32)
    with pytest.raises(tf.errors.DeadlineExceededError, match="TensorFlow would wait for ever"):
        queue.dequeue()


def test_putting_into_a_full_queue_ends_with_an_error(tf):
    queue = tf.queue.FIFOQueue(1, tf.float32)
    queue.enqueue(1.0)
    with pytest.raises(tf.errors.DeadlineExceededError, match=r"is full.*queue\.size\(\)"):
        queue.enqueue(2.0)
    assert queue.size().numpy() == 1


def test_one_thread_waits_for_no_other(tf, monkeypatch):
    monkeypatch.setattr(buffer, "PATIENCE", 1e9)
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    with pytest.raises(tf.errors.DeadlineExceededError, match="there is no other thread"):
        tf.queue.FIFOQueue(2, tf.float32).dequeue()


def test_a_shuffling_queue_keeps_what_it_must_until_it_is_closed(tf):
    queue = tf.queue.RandomShuffleQueue(5, 1, tf.int32, shapes=[()], seed=3)
    queue.enqueue(7)
    with pytest.raises(tf.errors.DeadlineExceededError, match="1 are asked for"):
        queue.dequeue()
    queue.close()
    assert queue.dequeue().numpy() == 7


def test_a_seed_shuffles_the_same_way_twice(tf):
    def order(seed):
        queue = tf.queue.RandomShuffleQueue(20, 0, tf.int32, shapes=[()], seed=seed)
        queue.enqueue_many([list(range(20))])
        return queue.dequeue_many(20).numpy().tolist()

    assert order(5) == order(5) != order(6)


def test_a_reader_waits_for_a_writer_in_another_thread(tf, monkeypatch):
    monkeypatch.setattr(buffer, "PATIENCE", 5.0)
    queue = tf.queue.FIFOQueue(1, tf.int32)
    elements = []
    reader = threading.Thread(
        target=lambda: elements.extend(int(queue.dequeue()) for _ in range(3))
    )
    reader.start()
    for number in (1, 2, 3):
        queue.enqueue(number)
    reader.join(5)
    assert elements == [1, 2, 3]


def test_a_writer_who_waits_is_sent_away_when_the_queue_is_cancelled(tf, monkeypatch):
    monkeypatch.setattr(buffer, "PATIENCE", 5.0)
    queue = tf.queue.FIFOQueue(1, tf.int32)
    queue.enqueue(1)
    raised = []

    def write():
        try:
            queue.enqueue(2)
        except tf.errors.CancelledError as error:
            raised.append(str(error))

    writer = threading.Thread(target=write)
    writer.start()
    queue.close(cancel_pending_enqueues=True)
    writer.join(5)
    assert "is closed" in raised[0]
    assert queue.size().numpy() == 1


def test_the_gradient_ends_in_the_queue_and_explain_names_it(tf):
    x = tf.Variable(3.0)
    waiting = tf.queue.FIFOQueue(10, tf.float32)
    with tf.GradientTape() as tape:
        h = x * x
        waiting.enqueue(h)
        y = waiting.dequeue() * 2.0
    assert tape.gradient(y, x) is None
    (finding,) = tf.explain(tape, y, x).findings
    assert finding.code == "STATE_READ"
    assert finding.title == "The path ends at `waiting.dequeue()`"
    assert finding.message == (
        "A queue stores numbers and forgets where they came from. `h` went in, and 9.0000 came "
        "out as a constant. So no path leads from `y` to `x`."
    )


def test_a_part_that_went_through_a_queue_is_missed(tf):
    x = tf.Variable(3.0)
    waiting = tf.queue.FIFOQueue(10, tf.float32)
    with tf.GradientTape() as tape:
        waiting.enqueue(x * x)
        y = waiting.dequeue() * x
    assert tape.gradient(y, x).numpy() == 9
    explanation = tf.explain(tape, y, x)
    assert explanation.partial
    assert "1 of 2 uses of `x` leads to `y`" in explanation.findings[0].message


def test_what_is_put_in_is_a_copy_of_that_moment(tf):
    x = tf.Variable([1.0])
    queue = tf.queue.FIFOQueue(2, tf.float32)
    queue.enqueue([x])
    x.assign([5.0])
    assert queue.dequeue().numpy().tolist() == [1.0]


def test_a_training_loop_fed_by_a_queue_runs_as_in_a_course(tf):
    queue = tf.queue.FIFOQueue(8, [tf.float32, tf.float32], shapes=[[2], [1]])
    queue.enqueue_many(
        ([[1.0, 2.0], [2.0, 1.0], [0.0, 1.0], [1.0, 1.0]], [[5.0], [4.0], [2.0], [3.0]])
    )
    queue.close()
    w = tf.Variable([[0.0], [0.0]])
    try:
        while True:
            features, labels = queue.dequeue_many(2)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((features @ w - labels) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
    except tf.errors.OutOfRangeError:
        pass
    assert w.numpy().ravel().tolist() == pytest.approx([1.04, 1.33], abs=0.4)
