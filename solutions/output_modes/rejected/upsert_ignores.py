# rejected: upsert_totals, upsert_restart, upsert_crash | - | keeps the first count of a page

def upsert_counts(views, store):
    def upsert(batch, batch_id):
        rows = [(row["page"], row["views"]) for row in batch.collect()]
        with closing(sqlite3.connect(store)) as table, table:
            table.execute("CREATE TABLE IF NOT EXISTS page_views (page TEXT PRIMARY KEY, views INTEGER)")
            table.executemany("INSERT OR IGNORE INTO page_views VALUES (?, ?)", rows)

    return _counts(views).writeStream.outputMode("update").foreachBatch(upsert)
