"""uvicorn's websockets, of which one that does not read is closed all the same.

uvicorn 0.54 lets a close wait until the client reads, and then for as long as the client leaves unread what was sent.
"""

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol


class Socket(WebSocketsSansIOProtocol):
    """A websocket that is cut off where its client does not take the close within `close_timeout` seconds."""

    async def send(self, message: Any) -> None:
        if message["type"] != "websocket.close":
            await super().send(message)
            return
        self.writable.set()  # it goes behind what waits
        await super().send(message)
        self.cut_later()

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.cut_later()

    def cut_later(self) -> None:
        if self.close_timer is not None:
            self.close_timer.cancel()
        if not self.disconnected:
            self.close_timer = self.loop.call_later(self.close_timeout, self.transport.abort)
