# accepted: the whole table written anew in complete mode

def upsert_counts(views, store):
    def replace(batch, batch_id):
        rows = [tuple(row) for row in batch.select("page", "views").collect()]
        with closing(sqlite3.connect(store)) as table, table:
            table.execute("CREATE TABLE IF NOT EXISTS page_views (page TEXT PRIMARY KEY, views INTEGER)")
            table.execute("DELETE FROM page_views")
            table.executemany("INSERT INTO page_views VALUES (?, ?)", rows)

    return _counts(views).writeStream.outputMode("complete").foreachBatch(replace)
