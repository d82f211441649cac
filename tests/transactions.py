"""Transactions of the tests themselves, and what is left of those that commit."""

from collections.abc import Callable
from typing import Any

from django.apps import apps
from django.contrib.auth.management import create_permissions
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.management import create_contenttypes
from django.contrib.contenttypes.models import ContentType
from django.core.management.sql import emit_post_migrate_signal
from django.db import connection, transaction
from django.db.models import Model
from django.db.models.signals import post_migrate
from django.db.transaction import Atomic

# A flush takes these away to have them made anew, for each of which it asks
KEPT: tuple[type[Model], ...] = (ContentType, Permission)
MAKERS = {
    create_contenttypes: None,
    create_permissions: "django.contrib.auth.management.create_permissions",
}


def undone() -> Atomic:
    """A transaction around what a test does, for whoever rolls it back.

    Django takes it for that of a test case.
    """
    block = transaction.atomic()
    block._from_testcase = True
    return block


def instead_of_flush(flush: Callable[[Any], None]) -> Callable[[Any], None]:
    """What empties the tables after a test that commits, for the method of Django's
    test case that does so; that one has its turn where a test changed what is kept."""

    def empty(case: Any) -> None:
        if _kept_are_whole():
            empty_tables()
        else:
            flush(case)

    return empty


def _kept_are_whole() -> bool:
    metas = [model._meta for model in apps.get_models()]
    rights = sum(len(one.permissions) + len(one.default_permissions) for one in metas)
    counts = [model._default_manager.count() for model in KEPT]
    return counts == [len(metas), rights]


def empty_tables() -> None:
    """Delete all rows but types of content and permissions, which take nearly all the
    time of a flush. To truncate tables on PostgreSQL, as Django does, makes each of
    their files anew, of which few hold anything."""
    introspection, quote = connection.introspection, connection.ops.quote_name
    names = introspection.django_table_names(only_existing=True, include_views=False)
    kept = {model._meta.db_table for model in KEPT}
    tables = [quote(name) for name in sorted({*names} - kept)]
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # Whoever still writes is waited for, as TRUNCATE does.
            cursor.execute(f"LOCK TABLE {', '.join(tables)}")
            filled = ", ".join(f"EXISTS (SELECT FROM {name})" for name in tables)
            cursor.execute(f"SELECT {filled}")
            has_rows = cursor.fetchone()
            tables = [name for name, some in zip(tables, has_rows, strict=True) if some]
        for name in tables:
            cursor.execute(f"DELETE FROM {name}")
    for maker, uid in MAKERS.items():
        post_migrate.disconnect(maker, dispatch_uid=uid)
    try:  # others make their first rows
        emit_post_migrate_signal(0, False, connection.alias)
    finally:
        for maker, uid in MAKERS.items():
            post_migrate.connect(maker, dispatch_uid=uid)
