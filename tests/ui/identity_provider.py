"""A provider of OpenID Connect, as the Hub is one: a page to consent on, tokens, signed claims."""

from __future__ import annotations

import secrets
import threading
import time
from typing import Any
from urllib.parse import urlencode

import uvicorn
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

CLIENT, SECRET = "hinter-space", "not-very-secret"


class IdentityProvider:
    """Runs until closed; whoever consents on its page is ``username``."""

    def __init__(self, username: str, name: str) -> None:
        self.username, self.name = username, name
        self.exchanged = 0
        self._key = RSAKey.generate_key(2048, {"kid": "one"})
        self._asked: dict[str, dict[str, str]] = {}
        routes = [
            Route("/.well-known/openid-configuration", self._described),
            Route("/keys", self._keys),
            Route("/authorize", self._consent),
            Route("/allow", self._allow),
            Route("/token", self._token, methods=["POST"]),
        ]
        config = uvicorn.Config(Starlette(routes=routes), port=0, log_level="warning")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.02)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)

    @property
    def environment(self) -> dict[str, str]:
        """What a Space sets for the app that runs on it."""
        return {
            "SYSTEM": "spaces",
            "SPACE_ID": "someone/hinter",
            "OAUTH_CLIENT_ID": CLIENT,
            "OAUTH_CLIENT_SECRET": SECRET,
            "OAUTH_SCOPES": "openid profile",
            "OPENID_PROVIDER_URL": self.address,
        }

    def _described(self, _: Request) -> Response:
        return JSONResponse({
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        })  # fmt: skip

    def _keys(self, _: Request) -> Response:
        return JSONResponse({"keys": [self._key.as_dict(private=False)]})

    def _consent(self, request: Request) -> Response:
        asked = dict(request.query_params)
        assert asked["client_id"] == CLIENT
        code = secrets.token_urlsafe()
        self._asked[code] = asked
        return HTMLResponse(f'<a href="/allow?code={code}">Allow HInter to know your name</a>')

    def _allow(self, request: Request) -> Response:
        code = request.query_params["code"]
        asked = self._asked[code]
        back = asked["redirect_uri"]
        query = urlencode({"code": code, "state": asked["state"]})
        return RedirectResponse(f"{back}{'&' if '?' in back else '?'}{query}")

    async def _token(self, request: Request) -> Response:
        form = await request.form()
        asked = self._asked.pop(str(form["code"]))
        self.exchanged += 1
        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": self.address, "aud": CLIENT, "sub": "0001", "iat": now, "exp": now + 600,
            "nonce": asked["nonce"], "name": self.name, "preferred_username": self.username,
            "profile": f"{self.address}/{self.username}", "picture": f"{self.address}/face.png",
        }  # fmt: skip
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self._key)
        return JSONResponse({
            "access_token": secrets.token_urlsafe(), "token_type": "bearer", "expires_in": 600,
            "scope": "openid profile", "id_token": signed,
        })  # fmt: skip
