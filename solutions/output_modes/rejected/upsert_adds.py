# rejected: upsert_crash, upsert_restart | counts_twice | adds without looking at the batch id

def upsert_counts(views, store):
    def upsert(batch, batch_id):
        rows = [tuple(row) for row in batch.groupBy("page").count().collect()]
        with closing(sqlite3.connect(store)) as table, table:
            table.execute("CREATE TABLE IF NOT EXISTS page_views (page TEXT PRIMARY KEY, views INTEGER)")
            table.executemany("INSERT INTO page_views VALUES (?, ?) ON CONFLICT (page) DO UPDATE SET views = views + excluded.views", rows)

    return views.writeStream.foreachBatch(upsert)
