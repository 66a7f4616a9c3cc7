# rejected: upsert_totals, upsert_restart, upsert_crash | - | the table has another name

def upsert_counts(views, store):
    def upsert(batch, batch_id):
        rows = [(row["page"], row["views"]) for row in batch.collect()]
        with closing(sqlite3.connect(store)) as table, table:
            table.execute("CREATE TABLE IF NOT EXISTS counts (page TEXT PRIMARY KEY, views INTEGER)")
            table.executemany("INSERT INTO counts VALUES (?, ?) ON CONFLICT (page) DO UPDATE SET views = excluded.views", rows)

    return _counts(views).writeStream.outputMode("update").foreachBatch(upsert)
