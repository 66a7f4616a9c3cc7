# accepted: adds each batch, with the ids of batches done in a table beside it

def upsert_counts(views, store):
    def add(batch, batch_id):
        rows = batch.groupBy("page").count().collect()
        with closing(sqlite3.connect(store)) as table, table:
            table.execute("CREATE TABLE IF NOT EXISTS page_views (page TEXT PRIMARY KEY, views INTEGER)")
            table.execute("CREATE TABLE IF NOT EXISTS _done (batch INTEGER PRIMARY KEY)")
            if table.execute("SELECT 1 FROM _done WHERE batch = ?", (batch_id,)).fetchone():
                return
            for page, count in rows:
                table.execute("INSERT INTO page_views VALUES (?, ?) ON CONFLICT (page) DO UPDATE SET views = views + ?", (page, count, count))
            table.execute("INSERT INTO _done VALUES (?)", (batch_id,))

    return views.writeStream.foreachBatch(add)
