# rejected: upsert_restart, upsert_crash | counts_twice | batch ids are kept in a set of the module: a program that is started again knows none
_DONE = set()


def upsert_counts(views, store):
    def write(batch, batch_id):
        counts = [tuple(row) for row in batch.groupBy("page").count().collect()]
        with closing(sqlite3.connect(store)) as table, table:
            table.execute("CREATE TABLE IF NOT EXISTS page_views (page TEXT PRIMARY KEY, views INTEGER)")
            if batch_id not in _DONE:
                _DONE.add(batch_id)
                table.executemany(
                    "INSERT INTO page_views VALUES (?, ?) ON CONFLICT (page) DO UPDATE SET views = views + excluded.views", counts
                )

    return views.writeStream.foreachBatch(write)
