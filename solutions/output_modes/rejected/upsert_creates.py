# rejected: upsert_runs | table_made_twice | makes the table at every batch

def upsert_counts(views, store):
    def upsert(batch, batch_id):
        rows = [(row["page"], row["views"]) for row in batch.collect()]
        with closing(sqlite3.connect(store)) as table, table:
            table.execute("CREATE TABLE page_views (page TEXT PRIMARY KEY, views INTEGER)")
            table.executemany("INSERT INTO page_views VALUES (?, ?) ON CONFLICT (page) DO UPDATE SET views = excluded.views", rows)

    return _counts(views).writeStream.outputMode("update").foreachBatch(upsert)
