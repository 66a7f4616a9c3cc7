# rejected: upsert_totals, upsert_restart, upsert_crash | last_batch_only | overwrites with the batch's own counts

def upsert_counts(views, store):
    def upsert(batch, batch_id):
        rows = [tuple(row) for row in batch.groupBy("page").count().collect()]
        with closing(sqlite3.connect(store)) as table, table:
            table.execute("CREATE TABLE IF NOT EXISTS page_views (page TEXT PRIMARY KEY, views INTEGER)")
            table.executemany("INSERT INTO page_views VALUES (?, ?) ON CONFLICT (page) DO UPDATE SET views = excluded.views", rows)

    return views.writeStream.foreachBatch(upsert)
