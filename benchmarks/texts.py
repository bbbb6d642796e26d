"""Texts to time with, written for HInter: sentences of 20 to 40 words, and one text of 300."""

SHORT = (
    "The British waiter who served us on Friday remembered every order without writing it down, "
    "and he laughed kindly when my old father asked for a second plate of soup.",
    "An Italian actress carries this slow and rather sad film almost alone, and her brother, who "
    "plays a tired policeman, has only three scenes that are worth the price of the ticket.",
    "The tenant, a young Turkish man, shall pay the rent on the first day of each month, and the "
    "landlord shall give her notice in writing before she visits the flat with a workman.",
)

LONG = """\
We drove to the small hotel by the lake on a wet evening in May. The receptionist, a Polish woman \
with a dry sense of humour, had kept our room although we came three hours late. She gave us two \
keys, a map and a hot drink. In the dining room a British waiter explained every dish twice, \
since my uncle does not hear well, and he never lost his patience. The soup was warm, the bread \
was fresh and the fish tasted of the lake.

The next morning the rain had stopped. An old man who rents out boats told us where the herons \
nest, and his daughter showed the children how to row. We saw four herons, one fox and no other \
boat at all. At noon we shared a table with a Mexican couple. He restores violins for a living; \
she teaches chemistry at a college in Leeds. They had come for the quiet, and they said that they \
would come again in the autumn.

Not everything was good. The bed was too soft for my husband, and the heating in the bathroom \
made a noise like a train. When we complained, the manager came up herself, listened, and moved \
us to another room within ten minutes. I have stayed in hotels that cost three times as much and \
where nobody would have lifted a finger. The bill was correct to the last penny, and the cook, a \
young Turkish man, gave us a loaf for the road.

Would I go back? Yes, and I would bring my mother, who likes lakes, old furniture and people who \
do not talk too loudly. The house is neither modern nor grand, its garden needs a gardener, and \
the nearest shop is an hour away on foot. But the staff know what they are doing, and they seem \
to like it. For a long weekend I can think of no better place.
"""
