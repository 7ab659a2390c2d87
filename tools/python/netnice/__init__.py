# SPDX-License-Identifier: GPL-2.0
"""Limit and share network bandwidth: virtual network interfaces (VIFs) by libnetnice.

    with netnice.open() as nn, nn.transaction():
        nn.create("eth0/slow")
        nn.set("eth0/slow", bandwidth="1mbit")
        nn.attach("eth0/slow", "process", os.getpid())

A failure raises OSError, or its subclass for the error number (FileNotFoundError, FileExistsError,
PermissionError, ...), with the kernel's sentence. netnice(3) describes the functions; netnice(7), the
parameters. Threads may use different handles at once, but not the same handle.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NoReturn

__all__ = ["Attachment", "Event", "Netnice", "open"]

# ctypes is part of Python: the package needs no compiler, and nothing but the library. A structure
# of the library may grow at its end; it is only read here.
_lib = ctypes.CDLL("libnetnice.so.0", use_errno=True)
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]


class _Attachment(ctypes.Structure):
    _fields_ = [
        ("vif", ctypes.c_char_p),
        ("kind", ctypes.c_char_p),
        ("number", ctypes.c_uint64),
        ("process", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("by_admin", ctypes.c_int),
    ]


class _Event(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("vif", ctypes.c_char_p),
        ("old_vif", ctypes.c_char_p),
        ("attachment", ctypes.POINTER(_Attachment)),
    ]


_VIF_FN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
_ATTACHMENT_FN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Attachment), ctypes.c_void_p)
_UNDO_FN = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)


def _function(name: str, result: Any, *arguments: Any) -> Any:
    function = getattr(_lib, "netnice_" + name)
    function.restype = result
    function.argtypes = arguments
    return function


_nn = ctypes.c_void_p
_text = ctypes.c_char_p
_int = ctypes.c_int
_open = _function("open", _int, ctypes.POINTER(_nn))
_close = _function("close", None, _nn)
_strerror = _function("strerror", _text, _nn)
_create = _function("create", _int, _nn, _text, ctypes.c_uint)
_hold = _function("hold", _int, _nn, _text)
_remove = _function("remove", _int, _nn, _text)
_move = _function("move", _int, _nn, _text, _text)
_set = _function("set", _int, _nn, _text, _text, _text)
_get = _function("get", ctypes.c_void_p, _nn, _text, _text)
_list = _function("list", _int, _nn, _text, _VIF_FN, ctypes.c_void_p)
_attach = _function("attach", _int, _nn, _text, _text, _text)
_detach = _function("detach", _int, _nn, _text, _text, _text)
_attachments = _function("attachments", _int, _nn, _text, _ATTACHMENT_FN, ctypes.c_void_p)
_begin = _function("begin", _int, _nn)
_commit = _function("commit", None, _nn)
_rollback = _function("rollback", _int, _nn, _UNDO_FN, ctypes.c_void_p)
_watch = _function("watch", _int, _nn)
_read_event = _function("read_event", ctypes.POINTER(_Event), _nn)


@dataclass(frozen=True)
class Attachment:
    """Something that is attached to a VIF: see struct netnice_attachment in netnice.h."""

    vif: str
    kind: str
    number: int
    process: int
    name: str | None
    by_admin: bool


@dataclass(frozen=True)
class Event:
    """An event: see struct netnice_event in netnice.h."""

    name: str
    vif: str | None
    old_vif: str | None
    attachment: Attachment | None


def _string(value: bytes | None) -> str | None:
    return None if value is None else os.fsdecode(value)


def _encode(word: str) -> bytes:
    encoded = os.fsencode(word)
    if b"\0" in encoded:
        raise ValueError("embedded null character")
    return encoded


class _Callback:
    """A function that the library calls; ctypes would print and ignore its exceptions."""

    def __init__(self, function: Callable[[Any], None]) -> None:
        self._function = function
        self._error: BaseException | None = None

    def __call__(self, found: Any, _: int) -> int:
        try:
            self._function(found)
        except BaseException as error:
            self._error = error
            return 1
        return 0

    def check(self) -> None:
        """Raise the function's exception, if there was one."""
        if self._error:
            raise self._error


def _to_attachment(found: _Attachment) -> Attachment:
    return Attachment(os.fsdecode(found.vif), os.fsdecode(found.kind), found.number,
                      found.process, _string(found.name), bool(found.by_admin))


class Netnice:
    """A handle for the network namespace of the caller."""

    def __init__(self) -> None:
        self._handle = _nn()
        self._watches = False
        if _open(ctypes.byref(self._handle)):
            try:
                self._fail()
            finally:
                self.close()

    def __enter__(self) -> Netnice:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Roll back an open transaction, and free the handle."""
        _close(self._handle)
        self._handle = _nn()

    def _fail(self, vif: str | None = None) -> NoReturn:
        raise OSError(ctypes.get_errno(), os.fsdecode(_strerror(self._handle)), vif)

    def _check(self) -> None:
        if not self._handle:
            raise ValueError("the handle is closed")

    def _call(self, function: Callable[..., int], vif: str | None = None, *arguments: Any) -> int:
        self._check()
        encoded = [_encode(word) if isinstance(word, str) else word
                   for word in (() if vif is None else (vif,)) + arguments]
        result = function(self._handle, *encoded)
        if result < 0:
            self._fail(vif)
        return result

    def create(self, vif: str, mode: int = 0o755) -> None:
        """Create a VIF below an existing one."""
        self._call(_create, vif, mode)

    def hold(self, vif: str) -> int:
        """Have the kernel remove a VIF when it is unused and the returned descriptor is closed."""
        return self._call(_hold, vif)

    def remove(self, vif: str) -> None:
        """Remove a VIF to which nothing is attached."""
        self._call(_remove, vif)

    def move(self, vif: str, to: str) -> None:
        """Rename a VIF, or move it within its device."""
        self._call(_move, vif, to)

    def set(self, vif: str, **parameters: str | int) -> None:
        """Set parameters, in their order: set("eth0/web", bandwidth="1mbit", weight=200).

        After a failure the parameters before it are set, unless a transaction undoes them.
        """
        for name, value in parameters.items():
            self._call(_set, vif, name, str(value))

    def get(self, vif: str, parameter: str) -> str:
        """Return a parameter, or the contents of another file of the VIF such as "stat"."""
        self._check()
        text = _get(self._handle, _encode(vif), _encode(parameter))
        if not text:
            self._fail(vif)
        try:
            return os.fsdecode(ctypes.string_at(text))
        finally:
            _free(text)

    def vifs(self, above: str | None = None) -> list[str]:
        """Return the VIFs directly below one, or the root VIFs of all devices."""
        found: list[str] = []
        add = _Callback(lambda vif: found.append(os.fsdecode(vif)))
        self._call(_list, None, above, _VIF_FN(add), None)
        add.check()
        return found

    def attach(self, vif: str, kind: str, name: str | int) -> None:
        """Attach a "process", "thread", "socket", "cgroup" or "device" to a VIF."""
        self._call(_attach, vif, kind, str(name))

    def detach(self, vif: str, kind: str, name: str | int) -> None:
        """End an attachment to a VIF."""
        self._call(_detach, vif, kind, str(name))

    def attachments(self, vif: str | None = None) -> list[Attachment]:
        """Return the attachments of a VIF and of all VIFs below it, or all attachments."""
        found: list[Attachment] = []
        add = _Callback(lambda attachment: found.append(_to_attachment(attachment.contents)))
        self._call(_attachments, None, vif, _ATTACHMENT_FN(add), None)
        add.check()
        return found

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Undo the changes made inside if an exception ends it, and note on it what could not be undone."""
        self._call(_begin)
        try:
            yield
        except BaseException as error:
            for sentence in self._undo():
                error.add_note(sentence)
            raise
        self._check()
        _commit(self._handle)

    def _undo(self) -> list[str]:
        left: list[str] = []
        add = _Callback(lambda sentence: left.append(os.fsdecode(sentence)))
        if self._handle:
            _rollback(self._handle, _UNDO_FN(add), None)
        add.check()
        return left

    def watch(self) -> int:
        """Subscribe to events. Return a descriptor for select, which belongs to the handle."""
        fd = self._call(_watch)
        self._watches = True
        return fd

    def events(self) -> Iterator[Event]:
        """Wait for events, one after the other, for ever."""
        if not self._watches:
            self.watch()
        while True:
            self._check()
            found = _read_event(self._handle)
            if not found:
                # a signal, whose handler has not raised an exception; or a message that is no event
                if ctypes.get_errno() in (errno.EINTR, errno.EAGAIN):
                    continue
                self._fail()
            event = found.contents
            yield Event(os.fsdecode(event.name), _string(event.vif), _string(event.old_vif),
                        _to_attachment(event.attachment.contents) if event.attachment else None)


def open() -> Netnice:
    """Open a handle; it is a context manager, which closes it."""
    return Netnice()
