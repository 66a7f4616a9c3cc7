# accepted: groupByKeyAndWindow and len

def counts_by_window(pages, window, slide):
    return pages.map(lambda page: (page, None)).groupByKey().mapValues(list).window(window, slide).flatMapValues(lambda found: found).groupByKey().mapValues(len)
