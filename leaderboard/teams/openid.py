"""OpenID Connect as allauth speaks it, with the nonce that it leaves out.

The nonce is made of the state, which this browser's session keeps: an id_token that was
issued for somebody else's beginning is refused.
"""

import secrets
from typing import Any

from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import (
    OpenIDConnectProvider,
)
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac


def nonce_of(state: str) -> str:
    return salted_hmac("nonce of OpenID Connect", state, algorithm="sha256").hexdigest()


class OpenIDProvider(OpenIDConnectProvider):
    """A provider that is sent a nonce and has to repeat it, signed, in the id_token."""

    package = OpenIDConnectProvider.get_package()  # which has its addresses

    def serialize(self) -> dict[str, Any]:
        """The provider under its own id, as two institutions may give us the same
        client."""
        return {**super().serialize(), "id": self.sub_id}

    def redirect(
        self,
        request: HttpRequest,
        process: str,
        next_url: str | None = None,
        data: Any = None,
        **kwargs: Any,
    ) -> HttpResponse:
        state = secrets.token_urlsafe(24)
        params = kwargs.pop("auth_params", None) or self.get_auth_params()
        kwargs["auth_params"] = {**params, "nonce": nonce_of(state)}
        kwargs["state_id"] = state
        answer: HttpResponse = super().redirect(
            request, process, next_url, data, **kwargs
        )
        return answer

    def sociallogin_from_response(
        self, request: HttpRequest, response: dict[str, Any]
    ) -> SocialLogin:
        """Raises OAuth2Error unless the id_token was made for this beginning."""
        claims = response.get("id_token") or {}
        # The callback has found this state in the session.
        expected = nonce_of(request.GET.get("state", ""))
        if not constant_time_compare(str(claims.get("nonce", "")), expected):
            raise OAuth2Error("the id_token was made for another beginning")
        userinfo = response.get("userinfo", claims)
        if userinfo.get("sub") != claims.get("sub"):
            raise OAuth2Error("the id_token is about somebody else")
        return super().sociallogin_from_response(request, response)
