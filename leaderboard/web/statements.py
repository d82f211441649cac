"""Statements whose SQL is put together once in a process.

Django takes up to two milliseconds to make the SQL of a query set, many times as long
as a database takes to answer. A statement of every request or job is written as usual,
in a function that `statement` decorates:

    @statement(slug=SlugField())
    def _tasks(slug: str) -> QuerySet[Task]:
        return Task.objects.select_related("owner").filter(slug=slug)

`_tasks(slug="otters")` is a list of rows. The function runs once, and is given
parameters in place of values: what it reads beside them, as settings, stays as it was.
A list of a field stands for any number of keys: `statement(keys=[BigAutoField()])` for
`filter(pk__in=keys)`.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import cached_property
from threading import RLock
from types import SimpleNamespace

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Expression, Field, QuerySet, prefetch_related_objects
from django.db.models.query import RawQuerySet
from django.db.models.sql.compiler import SQLCompiler
from django.db.transaction import TransactionManagementError

# A compiler that did its work, the SQL, its arguments, and the functions that make
# values of Python of those of the database.
Compilation = tuple[SQLCompiler, str, tuple[object, ...], dict]
# Fields of parameters by their names.
Fields = Mapping[str, Field | list[Field]]


class Parameter(Expression):
    """A value that each call names, of the type of a field."""

    def __init__(self, name: str, field: Field) -> None:
        super().__init__(output_field=field)
        self.name = name

    def as_sql(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple]:
        return "%s", (self,)


class Keys(Parameter):
    """Any number of values, to be on the right of `__in`."""

    def as_sqlite(self, *_: object) -> tuple[str, tuple]:
        return "SELECT value FROM json_each(%s)", (self,)

    def as_postgresql(
        self, _compiler: SQLCompiler, connection: BaseDatabaseWrapper
    ) -> tuple[str, tuple]:
        return f"SELECT unnest(%s::{self.field.db_type(connection)}[])", (self,)

    def adapt(self, keys: object, connection: BaseDatabaseWrapper) -> object:
        """The keys as the database takes all of them together."""
        assert isinstance(keys, Iterable)
        adapted = [self.field.get_db_prep_value(key, connection) for key in keys]
        return json.dumps(adapted) if connection.vendor == "sqlite" else adapted


class Statement:
    """A query set with parameters; a call with their values gives its rows."""

    def __init__(self, make: Callable[..., QuerySet], fields: Fields) -> None:
        self.make, self.fields = make, fields
        self._compilations: dict[str, Compilation] = {}
        self._lock = RLock()

    @cached_property
    def _rows(self) -> QuerySet:
        parameters = {
            name: Keys(name, *field)
            if isinstance(field, list)
            else Parameter(name, field)
            for name, field in self.fields.items()
        }
        return self.make(**parameters)

    def _compile(self) -> Compilation:
        compiler = self._rows.query.get_compiler(self._rows.db)
        sql, arguments = compiler.as_sql()
        columns = [column[0] for column in compiler.select[: compiler.col_count]]
        return compiler, sql, tuple(arguments), compiler.get_converters(columns)

    def _compilation(self) -> Compilation:
        """Raises TransactionManagementError for rows locked outside of one."""
        rows = self._rows
        connection, locks = connections[rows.db], rows.query.select_for_update
        if locks and connection.get_autocommit():
            raise TransactionManagementError("rows are locked within a transaction")
        # Compiling changes the query, so that threads may not do it at once.
        with self._lock:
            if connection.vendor not in self._compilations:
                self._compilations[connection.vendor] = self._compile()
        return self._compilations[connection.vendor]

    def within(self, sql: str, **values: object) -> RawQuerySet:
        """Rows of the model that other SQL gives, which has this one's for its `%s`."""
        _, own, arguments, _ = self._compilation()
        return self._rows.model.objects.raw(
            sql % own, self._adapted_values(arguments, values)
        )

    def _adapted_values(
        self, arguments: tuple[object, ...], values: Mapping[str, object]
    ) -> list[object]:
        connection, adapted = connections[self._rows.db], []
        for part in arguments:
            if isinstance(part, Keys):
                part = part.adapt(values[part.name], connection)
            elif isinstance(part, Parameter):
                value = values[part.name]
                part = part.field.get_db_prep_value(value, connection)
            adapted.append(part)
        return adapted

    def __call__(self, **values: object) -> list:
        """Raises TransactionManagementError for rows locked outside of one."""
        rows = self._rows
        connection = connections[rows.db]
        compiler, sql, arguments, converters = self._compilation()
        given = self._adapted_values(arguments, values)
        ready, query = copy(compiler), copy(rows.query)
        vars(ready).update(
            connection=connection,
            as_sql=lambda *_, **__: (sql, given),
            get_converters=lambda _columns: converters,
        )
        vars(query)["get_compiler"] = lambda *_, **__: ready
        own = SimpleNamespace(
            db=rows.db,
            model=rows.model,
            query=query,
            _fields=vars(rows)["_fields"],
            _known_related_objects=vars(rows)["_known_related_objects"],
        )
        answer = [*vars(rows)["_iterable_class"](own)]
        if lookups := vars(rows)["_prefetch_related_lookups"]:
            prefetch_related_objects(answer, *lookups)
        return answer


def statement(
    **fields: Field | list[Field],
) -> Callable[[Callable[..., QuerySet]], Statement]:
    return lambda make: Statement(make, fields)
