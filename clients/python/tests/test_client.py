"""What needs no service: times, addresses, replies that no service of ours gives, and what errors say.

All else is tested against a real service by clients/conformance.
"""

import asyncio
import email.utils
import json
import socket
import threading
import time
import traceback
import unittest
import unittest.mock

from starcloak.client import (
    AsyncClient,
    Client,
    ForgottenError,
    RefusedError,
    StarCloakError,
    UnreachableError,
)
from starcloak.client.outcomes import outcome_of, problem_of
from starcloak.client.transport import Transport, backoff, is_passing, retry_after

QUERY = {"position": {"lon": 8.0123, "lat": 49.9945}, "request": {"type": "knn", "k": 3}}
ACCEPTED = (202, {}, {"id": "secretid", "state": "waiting", "lease_s": 15, "max_poll_s": 30})
SHORT = (202, {}, {**ACCEPTED[2], "lease_s": 0.5})
LOST = None


class Scripted:
    """A server that gives these replies in turn, the last one for ever; LOST closes the connection."""

    def __init__(self, *replies):
        self.replies, self.requests = list(replies), []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def serve(self):
        try:
            while True:
                connection, _ = self.listener.accept()
                with connection, connection.makefile("rb") as lines:
                    self.answer(connection, lines)
        except OSError:
            pass

    def answer(self, connection, lines):
        head = [line.decode().strip() for line in iter(lines.readline, b"\r\n") if line]
        if not head:
            return
        headers = dict(line.split(": ", 1) for line in head[1:])
        lines.read(int(headers.get("Content-Length", 0)))
        self.requests.append((head[0], headers))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if reply is LOST:
            return
        status, told, body = reply
        data = b"" if body is None else json.dumps(body).encode()
        sent = {**told, "Content-Length": str(len(data)), "Connection": "close"}
        text = f"HTTP/1.1 {status} X\r\n" + "".join(f"{k}: {v}\r\n" for k, v in sent.items())
        connection.sendall(text.encode() + b"\r\n" + data)


class TestTimes(unittest.TestCase):
    def test_pauses_double_up_to_three_seconds_and_half_of_each_is_random(self):
        for attempt in range(40):
            most = min(3.0, 0.2 * 2**attempt)
            self.assertEqual(backoff(attempt, lambda: 0.0), most / 2)
            self.assertEqual(backoff(attempt, lambda: 1.0), most)

    def test_retry_after_is_seconds_or_a_date(self):
        self.assertEqual(retry_after("7"), 7)
        self.assertIsNone(retry_after(None))
        self.assertIsNone(retry_after("soon"))
        self.assertAlmostEqual(retry_after(email.utils.formatdate(time.time() + 60, usegmt=True)), 60, delta=2)
        self.assertEqual(retry_after(email.utils.formatdate(0, usegmt=True)), 0)


class TestReplies(unittest.TestCase):
    def test_positions_go_in_plain_only_to_this_machine_or_where_that_is_wanted(self):
        for fine in ("https://cloak.example", "http://localhost:1", "http://127.0.0.1:1", "http://[::1]:1"):
            Transport(fine, "t", False, None)
        for far in ("http://cloak.example", "http://127.0.0.1.example", "http://localhost.example"):
            with self.assertRaises(StarCloakError):
                Transport(far, "t", False, None)
            Transport(far, "t", True, None)
        with self.assertRaises(StarCloakError):
            Transport("ftp://cloak.example", "t", True, None)

    def test_an_outcome_is_not_asked_for_again_whatever_its_status(self):
        self.assertTrue(is_passing(503, {}))
        self.assertTrue(is_passing(502, None))
        self.assertFalse(is_passing(503, {"outcome": "failed"}))
        self.assertFalse(is_passing(400, {}))

    def test_a_reply_that_tells_no_outcome_is_a_problem_made_of_its_status(self):
        self.assertIsNone(outcome_of(200, None))
        self.assertIsNone(outcome_of(200, {"outcome": "new"}))
        self.assertEqual(problem_of(502, "<html>").title, "HTTP status 502")
        failed = outcome_of(502, {"type": "t", "title": "T", "outcome": "failed", "reason": "in_doubt"})
        self.assertEqual((failed.reason, failed.problem.title), ("in_doubt", "T"))

    def test_members_of_a_newer_service_are_passed_over(self):
        dropped = outcome_of(200, {"outcome": "dropped", "reason": "r", "wait_s": 1, "advice": "a", "new": 1})
        self.assertEqual(dropped.advice, "a")


class TestRequests(unittest.TestCase):
    def test_a_token_function_is_asked_again_after_a_401_once(self):
        given = ["old", "new", "newer"]
        with Scripted((401, {}, None), (204, {}, None)) as server:
            Client(server.url, lambda: given.pop(0)).resume('{"id": "x", "until_s": 0}').cancel()
            self.assertEqual([headers["Authorization"] for _, headers in server.requests], ["Bearer old", "Bearer new"])
        with Scripted((401, {}, None)) as server, self.assertRaises(RefusedError):
            Client(server.url, lambda: "bad").ask(QUERY)
        self.assertEqual(len(server.requests), 2)

    def test_a_request_that_is_repeated_has_the_key_that_it_had(self):
        with Scripted(LOST, (503, {"Retry-After": "0"}, None), ACCEPTED) as server:
            client = Client(server.url, "t")
            client.start(QUERY)
            keys = [headers["Idempotency-Key"] for _, headers in server.requests]
            self.assertEqual((len(keys), len(set(keys))), (3, 1))
            self.assertRegex(keys[0], r"^[\w-]{22}$")
            client.start(QUERY)
            self.assertNotEqual(server.requests[3][1]["Idempotency-Key"], keys[0])

    def test_a_refusal_is_repeated_as_long_as_there_is_patience(self):
        with Scripted((429, {"Retry-After": "60"}, None)) as server:
            with self.assertRaises(RefusedError) as caught:
                Client(server.url, "t", patience_s=10).ask(QUERY)
            self.assertEqual((caught.exception.retry_after_s, len(server.requests)), (60, 1))
        with Scripted(LOST) as server, self.assertRaises(UnreachableError):
            Client(server.url, "t", patience_s=0.5).ask(QUERY)
        self.assertGreater(len(server.requests), 1)

    def test_what_is_forgotten_while_its_wait_lasts_is_asked_again_once(self):
        with Scripted(ACCEPTED, (404, {}, None), ACCEPTED, (404, {}, None)) as server:
            with self.assertRaises(ForgottenError):
                Client(server.url, "t").ask(QUERY)
            keys = [headers.get("Idempotency-Key") for _, headers in server.requests]
            self.assertEqual((len(keys), keys[0]), (4, keys[2]))

    def test_a_redirection_is_refused_and_not_followed(self):
        with Scripted((307, {"Location": "http://127.0.0.1:1/"}, None)) as server:
            with self.assertRaises(RefusedError) as caught:
                Client(server.url, "t").ask(QUERY)
            self.assertEqual((caught.exception.status, len(server.requests)), (307, 1))

    def test_a_task_that_is_cancelled_gives_up_waiting(self):
        async def cancelled(url):
            async with AsyncClient(url, "t") as client:
                pending = await client.start(QUERY)
                task = asyncio.create_task(pending.wait())
                await asyncio.sleep(0)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

        waiting = (200, {}, {"id": "secretid", "state": "waiting"})
        with Scripted(ACCEPTED, waiting) as server:
            # It ends with the thread, which would ask for a minute and a half.
            asyncio.run(cancelled(server.url))
            self.assertLess(len(server.requests), 10)

    def test_a_service_that_does_not_wait_is_not_asked_without_a_pause(self):
        waiting, dropped = {"state": "waiting"}, {"state": "dropped", "reason": "r", "wait_s": 1, "advice": "a"}
        with Scripted((200, {}, waiting), (200, {}, waiting), (200, {}, dropped)) as server:
            pauses = []
            with unittest.mock.patch("starcloak.client.client.pause", lambda seconds, _: pauses.append(seconds)):
                Client(server.url, "t").resume(json.dumps({"id": "x", "until_s": time.time() + 60, "lease_s": 15, "max_poll_s": 30})).wait()
            self.assertEqual(len(pauses), 2)


def of_client(error):
    """What a tool that reports errors would collect, of the frames of the client."""
    seen = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    return "".join(part for part in seen.split('  File "') if "/starcloak/client/" in part.split("\n")[0])


class TestSecrets(unittest.TestCase):
    def test_no_error_has_a_secret_not_even_in_the_variables_of_its_frames(self):
        secret = r"49\.9|8\.01|secret"
        replies = [(LOST,), ((400, {}, None),), (SHORT, (500, {}, None)), (SHORT, (404, {}, None))]
        for told in replies:
            with Scripted(*told) as server:
                client = Client(server.url, "secrettoken", patience_s=0, margin_s=0.1, provider_s=0, max_wait_s=0.01)
                try:
                    client.ask({**QUERY}, key="secretkey")
                except StarCloakError as error:
                    seen = of_client(error)
                    self.assertIn("sealed", seen)
                    self.assertNotRegex(seen, secret)
                    self.assertNotRegex(str(error), secret)
                else:
                    self.fail("there was an outcome")
                for request, _ in server.requests:
                    self.assertNotRegex(request, r"49\.9|8\.01|token|secretkey")

    def test_a_query_that_cannot_be_written_is_not_repeated_by_the_error(self):
        with self.assertRaises(StarCloakError) as caught:
            Client("http://localhost", "t").ask({**QUERY, "position": {"lon": float("nan"), "lat": 49.9945}})
        self.assertNotIn("49.9945", of_client(caught.exception))

    def test_the_repr_of_an_answer_leaves_out_where_the_traveller_is(self):
        body = {
            **{"outcome": "answered", "wait_s": 1, "cloak": {"id": "c", "users": 2, "segments": 3}, "metric": "time"},
            **{"street": "Secret Street", "objects": [{"id": "1", "name": "n", "category": "c", "distance_m": 3}]},
        }
        self.assertNotRegex(repr(outcome_of(200, body)), "Secret|distance")


if __name__ == "__main__":
    unittest.main()
