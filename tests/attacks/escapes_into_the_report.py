# attack: prints and raises terminal escapes and markup
# checks: double_right, counts_hidden
# outcome: double_right=ERROR



def double(number):
    print("\x1b]0;owned\x07\x1b[2J<script>alert(1)</script>")
    raise ValueError("\x1b[31m</failure><script>alert(1)</script>]]>")
