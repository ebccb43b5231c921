"""Endpoints about the workspace: who asks, and webhooks."""

import json

from personal_context.upstream.sandbox import errors
from personal_context.upstream.sandbox.call import Call, Handler
from personal_context.upstream.sandbox.models import Json, Subscription
from personal_context.upstream.sandbox.policies import own_policies
from personal_context.upstream.sandbox.presenters import pagination, present_user
from personal_context.upstream.sandbox.webhooks import MAX_SUBSCRIPTIONS


def auth_info(call: Call) -> Json:
    """Answer auth.info."""
    services, user = call.services, call.user
    more: Json = {
        "email": user.email,
        "language": "en_US",
        "preferences": None,
        "notificationSettings": {},
    }
    team = {"id": services.team_id, "name": services.team_name}
    signed_in = {"avatarUrl": None, "url": services.base_url, "isSignedIn": True}
    return {
        "data": {
            "user": present_user(user) | more,
            "team": team | _team_settings(services.base_url),
            "groups": [],
            "groupUsers": [],
            "availableTeams": [team | signed_in],
        },
        "policies": own_policies(services.team_id, user),
    }


def _team_settings(base_url: str) -> Json:
    return {
        "description": None,
        "avatarUrl": None,
        "sharing": True,
        "memberCollectionCreate": True,
        "memberTeamCreate": True,
        "defaultCollectionId": None,
        "documentEmbeds": True,
        "guestSignin": False,
        "passkeysEnabled": True,
        "subdomain": "sandbox",
        "domain": None,
        "url": base_url,
        "defaultUserRole": "member",
        "inviteRequired": False,
        "allowedDomains": [],
        "preferences": {"membersCanInvite": True},
        "guidanceMCP": None,
    }


def create_webhook(call: Call) -> Json:
    """Answer webhookSubscriptions.create."""
    _admins_only(call)
    params, webhooks = call.params, call.services.webhooks
    name, url = params.required("name"), _url(call)
    events = params.strings("events")
    if not events:
        raise errors.validation("events: Invalid input")
    if len(webhooks.subscriptions()) >= MAX_SUBSCRIPTIONS:
        raise errors.validation(f"You have reached the limit of {MAX_SUBSCRIPTIONS} webhooks")
    row = webhooks.subscribe(name, url, events, secret=params.text("secret"), by=call.user.id)
    return {"data": call.presenter.subscription(row, maker=False)}


def list_webhooks(call: Call) -> Json:
    """Answer webhookSubscriptions.list, secrets and all."""
    _admins_only(call)
    paging = call.params.paging()
    rows = call.services.webhooks.subscriptions()
    part = rows[paging.offset : paging.offset + paging.limit]
    return {
        "pagination": pagination(call.endpoint, paging, len(rows)),
        "data": [call.presenter.subscription(row, maker=True) for row in part],
    }


def update_webhook(call: Call) -> Json:
    """Answer webhookSubscriptions.update, which enables again what was cut off."""
    _admins_only(call)
    row, params, world = _subscription(call), call.params, call.services.world
    changes: Json = {"enabled": 1, "updated_at": world.now()}
    if params.given("name"):
        changes["name"] = params.required("name")
    if params.given("url"):
        changes["url"] = _url(call)
    if params.given("secret"):
        changes["secret"] = params.text("secret")
    if params.given("events"):
        changes["events"] = json.dumps(params.strings("events"))
    world.state.update(Subscription, [row.id], changes)
    # An old record of failures would cut it off again at the next one.
    world.state.execute("DELETE FROM deliveries WHERE subscription_id = ?", (row.id,))
    after = _subscription(call)
    return {"data": call.presenter.subscription(after, maker=False)}


def delete_webhook(call: Call) -> Json:
    """Answer webhookSubscriptions.delete."""
    _admins_only(call)
    row = _subscription(call)
    call.services.world.state.execute("DELETE FROM subscriptions WHERE id = ?", (row.id,))
    return {"success": True}


def _admins_only(call: Call) -> None:
    if not call.user.admin:
        raise errors.forbidden()


def _subscription(call: Call) -> Subscription:
    row = call.services.world.state.get(Subscription, call.params.required("id"))
    if row is None:
        raise errors.forbidden()
    return row


def _url(call: Call) -> str:
    url = call.params.required("url")
    if not url.startswith(("http://", "https://")):
        raise errors.validation("url: Invalid URL")
    return url


HANDLERS: dict[str, Handler] = {
    "auth.info": auth_info,
    "webhookSubscriptions.create": create_webhook,
    "webhookSubscriptions.list": list_webhooks,
    "webhookSubscriptions.update": update_webhook,
    "webhookSubscriptions.delete": delete_webhook,
}
