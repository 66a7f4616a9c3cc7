# attack: breaks PySpark and py4j for whatever comes after it
# checks: double_right, counts_hidden
# outcome: double_right=PASSED
import py4j.java_gateway
import pyspark.sql


def double(number):
    pyspark.sql.DataFrame.groupBy = None
    py4j.java_gateway.JavaGateway.shutdown = None
    py4j.java_gateway.get_return_value = None
    return 2 * number
