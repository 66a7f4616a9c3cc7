# rejected: upsert_totals, upsert_restart, upsert_crash | - | the table has no primary key

def upsert_counts(views, store):
    def upsert(batch, batch_id):
        rows = [(row["page"], row["views"]) for row in batch.collect()]
        with closing(sqlite3.connect(store)) as table, table:
            table.execute("CREATE TABLE IF NOT EXISTS page_views (page TEXT, views INTEGER)")
            table.executemany("DELETE FROM page_views WHERE page = ?", [(page,) for page, _ in rows])
            table.executemany("INSERT INTO page_views VALUES (?, ?)", rows)

    return _counts(views).writeStream.outputMode("update").foreachBatch(upsert)
