"""An identity provider: OpenID Connect with PKCE as of its specification, and GitHub.

It believes that everybody is `person`, and asks nobody. What a client has to keep to it
checks: its secret, the address it is sent back to, one use of each code, the verifier.
"""

import base64
import json
import secrets
import time
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET = "plumbline", "between-us"
# One for all: to make it takes longer than most tests.
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class IdentityServer:
    def __init__(self) -> None:
        self.person: dict[str, Any] = {}
        self.claims: dict[str, str] = {}  # in place of what would be true
        self.codes: dict[str, dict[str, str]] = {}
        self.refused: list[str] = []
        self.key = KEY
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), _handler_of(self))
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PLUMBLINE_OIDC_CLIENT_ID": CLIENT,
            "PLUMBLINE_OIDC_SECRET": SECRET,
            "PLUMBLINE_OIDC_URL": self.url,
            "PLUMBLINE_OIDC_NAME": "University of Elmhaven",
        }

    def get(self, path: str, query: dict[str, str], bearer: str) -> Any:
        """An answer as JSON, or as an address to go to."""
        match path:
            case "/.well-known/openid-configuration":
                return {
                    "issuer": self.url,
                    "authorization_endpoint": f"{self.url}/authorize",
                    "token_endpoint": f"{self.url}/token",
                    "userinfo_endpoint": f"{self.url}/userinfo",
                    "jwks_uri": f"{self.url}/jwks",
                    "token_endpoint_auth_methods_supported": ["client_secret_post"],
                }
            case "/authorize" | "/login/oauth/authorize":
                code = secrets.token_urlsafe(8)
                self.codes[code] = query
                return f"{query['redirect_uri']}?" + urlencode(
                    {"code": code, "state": query["state"]}
                )
            case "/jwks":
                public = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key())
                return {"keys": [json.loads(public) | {"kid": "one", "alg": "RS256"}]}
            case "/userinfo" | "/api/v3/user" if bearer == "at-the-door":
                return self.person
            case "/api/v3/user/emails" if bearer == "at-the-door":
                mail = self.person["mail"]
                return [{"email": mail, "primary": True, "verified": True}]
        return None

    def token(self, form: dict[str, str]) -> Any:
        asked = self.codes.pop(form.get("code", ""), None)
        digest = sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        checks = {
            "code": asked is not None,
            "secret": (form.get("client_id"), form.get("client_secret"))
            == (CLIENT, SECRET),
            "verifier": asked is not None
            and asked.get("code_challenge_method") == "S256"
            and asked.get("code_challenge") == challenge,
            "address": asked is not None
            and asked["redirect_uri"] == form.get("redirect_uri"),
        }
        self.refused += [name for name, fine in checks.items() if not fine]
        if asked is None or not all(checks.values()):
            return None
        now = int(time.time())
        about = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 60}
        told = {"sub": str(self.person.get("sub", "")), "nonce": asked.get("nonce", "")}
        claims = told | about | self.claims
        signed = jwt.encode(claims, self.key, "RS256", headers={"kid": "one"})
        return {
            "access_token": "at-the-door",
            "token_type": "bearer",
            "id_token": signed,
        }


def _handler_of(server: IdentityServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            bearer = self.headers.get("Authorization", "").partition(" ")[2]
            self._answer(server.get(parts.path, query, bearer))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self._answer(server.token(form))

        def _answer(self, answer: Any) -> None:
            if isinstance(answer, str):
                self.send_response(302)
                self.send_header("Location", answer)
                body = b""
            else:
                self.send_response(400 if answer is None else 200)
                self.send_header("Content-Type", "application/json")
                body = json.dumps(answer or {"error": "invalid_request"}).encode()
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_said: Any) -> None:
            """Nobody reads it."""

    return Handler
