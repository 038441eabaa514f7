"""The topic tree: topic strings, the attributes that hold at a topic, and who has subscribed to it.

Pure data. A topic string is any text of up to 10,240 characters; `/` divides it into levels, and an empty level is a
level: `/a`, `a`, `a/` and `a//b` are four topics. Nothing is kept for a topic that is only published to, so a million
of them cost nothing.

Administrative topics (TOPIC objects) are filed by TOPICSTR. At a topic those attributes hold that the closest one says,
from the topic itself upwards; what it leaves to its parent (ASPARENT, or a blank name) the next one says, at last
SYSTEM.BASE.TOPIC, which is the root. So the attributes depend on the closest object alone and are resolved once for it.
An object whose TOPICSTR ends with `/` (DEV.BASE.TOPIC: `dev/`) is for what is below, not for `dev` itself.

Subscriptions are filed in a tree by level:

    child, children  a level that must be a certain text
    one_level        `+`: any one level
    any_levels       `#`: any number of levels, none included; it may stand anywhere
    characters       strings of the character scheme (`*` any characters, `?` one, `%` makes the next one plain), under
                     the levels before their first wildcard, there by the characters before it

Matching goes through the levels of the topic once, with the set of nodes that are reached so far:

    M1  A node other than of `#` is reached at most once for a level, because its parent is.
    M2  A node of `#` is reached, and its subscriptions are found, at most once for a topic (`serial`).
    M3  So a subscription is found at most once, and the work is at most levels x nodes reached.

WILDCARD(BLOCK) of an object means that subscriptions whose wildcards reach into its topic string or above do not see
what is published there or below: matching then starts at the node that is reached by its levels as plain text.
"""

from __future__ import annotations

import sys
from typing import Final

from flintmq.catalogue.attribute import Value
from flintmq.catalogue.limits import TOPIC_STRING_LENGTH_MAX
from flintmq.mqi.topic_words import BASE_VALUES, DEFAULT_TOPIC
from flintmq.qmgr.catalogue import MQObject
from flintmq.qmgr.expiring import cap_of
from flintmq.qmgr.open_topic import OpenTopic, TopicAttributes
from flintmq.qmgr.subscription import WILDCARD_CHAR, Subscription

#: Equal tails are looked for among so many.
TAILS_KEPT_MAX: Final = 10_000


def is_topic_string(text: str) -> bool:
    """Whether something can be published to `text`."""
    return 0 < len(text) <= TOPIC_STRING_LENGTH_MAX and "\0" not in text


def is_subscribable(text: str, wildcard: int) -> bool:
    """Whether `text` can be subscribed to. In the character scheme `%` must stand before a wildcard or another `%`."""
    if not is_topic_string(text):
        return False
    if wildcard != WILDCARD_CHAR:
        return True
    at = text.find("%")
    while at >= 0:
        if text[at + 1 : at + 2] not in ("*", "?", "%"):
            return False
        at = text.find("%", at + 2)
    return True


def has_wildcard(text: str, wildcard: int) -> bool:
    """Whether `text` means more than one topic."""
    if wildcard == WILDCARD_CHAR:
        return "" in tokens(text) or STAR in tokens(text)
    for level in text.split("/"):
        if level == "+" or level == "#":
            return True
    return False


# -- the character scheme ----------------------------------------------------------------------------------------------

#: A token that stands for any characters; "" stands for one, anything else for itself.
STAR: Final = "**"


def tokens(text: str) -> list[str]:
    """`text` of the character scheme, a token for each character that it means."""
    result: list[str] = []
    at = 0
    while at < len(text):
        character = text[at]
        if character == "%" and at + 1 < len(text):
            at += 1
            result.append(text[at])
        elif character == "*":
            if not result or result[-1] != STAR:
                result.append(STAR)
        elif character == "?":
            result.append("")
        else:
            result.append(character)
        at += 1
    return result


def tokens_match(pattern: list[str], text: str) -> bool:
    """Whether `text` is meant. When it fails after a star, the last star takes one character more: no other way to go
    back is needed, so the work is at most the product of both lengths."""
    at = 0
    token = 0
    star = -1
    star_at = 0
    while at < len(text):
        if token < len(pattern) and pattern[token] == STAR:
            star = token
            star_at = at
            token += 1
        elif token < len(pattern) and (pattern[token] == "" or pattern[token] == text[at]):
            token += 1
            at += 1
        elif star >= 0:
            star_at += 1
            at = star_at
            token = star + 1
        else:
            return False
    while token < len(pattern) and pattern[token] == STAR:
        token += 1
    return token == len(pattern)


class CharacterPattern:
    """What comes after the whole levels of a string of the character scheme: plain characters, then the rest."""

    def __init__(self, subscription: Subscription, plain: str, rest: list[str]) -> None:
        self.subscription = subscription
        self.plain = plain
        self.rest = rest
        #: It ends with its only wildcard, a star: whatever begins so is meant.
        self.open_ended = len(rest) == 1 and rest[0] == STAR


class CharacterPatterns:
    """The patterns under one node, by their plain characters."""

    def __init__(self) -> None:
        self.by_plain: dict[str, list[CharacterPattern]] = {}
        self.lengths: list[int] = []

    def add(self, pattern: CharacterPattern) -> None:
        """File a pattern."""
        self.by_plain.setdefault(pattern.plain, []).append(pattern)
        if len(pattern.plain) not in self.lengths:
            self.lengths.append(len(pattern.plain))

    def remove(self, subscription: Subscription, plain: str) -> None:
        """Take the pattern of `subscription` out again."""
        kept = [each for each in self.by_plain[plain] if each.subscription is not subscription]
        if kept:
            self.by_plain[plain] = kept
        else:
            del self.by_plain[plain]
            self.lengths = sorted({len(each) for each in self.by_plain})

    def find(self, rest: str, found: list[Subscription]) -> None:
        """Add to `found` those whose pattern means `rest`, which is what a topic has after the node."""
        for length in self.lengths:
            if length > len(rest):
                continue
            filed = self.by_plain.get(rest[:length])
            if filed is None:
                continue
            for pattern in filed:
                if pattern.open_ended or tokens_match(pattern.rest, rest[length:]):
                    found.append(pattern.subscription)


class CharacterPath:
    """Where a string of the character scheme is filed."""

    def __init__(self, text: str) -> None:
        pattern = tokens(text)
        plain_end = 0
        while plain_end < len(pattern) and pattern[plain_end] != "" and pattern[plain_end] != STAR:
            plain_end += 1
        plain = "".join(pattern[:plain_end])
        #: It has no wildcard: `levels` are all there is.
        self.is_plain = plain_end == len(pattern)
        self.levels: list[str] = plain.split("/")
        self.plain = ""
        self.rest: list[str] = pattern[plain_end:]
        if not self.is_plain:
            self.plain = self.levels[-1]
            self.levels = self.levels[:-1]


# -- attributes --------------------------------------------------------------------------------------------------------


class AdministrativeNode:
    """A level of the tree of TOPIC objects."""

    definition: MQObject | None = None
    #: What was resolved when the tree was of that generation.
    attributes: TopicAttributes | None = None
    resolved: int = 0
    #: The object whose topic string ends with the `/` after this level.
    below: AdministrativeNode | None = None

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.children: dict[str, AdministrativeNode] = {}


# -- subscriptions -----------------------------------------------------------------------------------------------------


class TopicNode:
    """A level of the tree of subscriptions. What it does not have is None, so a leaf is small.

    Most nodes lead to one subscription only. Then there are no nodes for its other levels: it stands at the first level
    that it does not share, with the rest of its string as the tail. The second subscription that comes this way pushes
    the tail one level down. Likewise a node holds its only child and its only subscription itself; a dictionary and a
    list come with the second. So a match touches little memory, which is most of its cost.

    T1  A node with a tail has nothing below it.
    T2  There is no tail at or below a node of `#`: such nodes are reached more than once for a topic.
    """

    #: The only child and its level, or all of several.
    key: str = ""
    child: TopicNode | None = None
    children: dict[str, TopicNode] | None = None
    one_level: TopicNode | None = None
    any_levels: TopicNode | None = None
    #: The only subscription, or all of several.
    subscription: Subscription | None = None
    subscriptions: list[Subscription] | None = None
    characters: CharacterPatterns | None = None
    #: The subscription with the tail, and the tail, which is never empty.
    tailed: Subscription | None = None
    tail: tuple[str, ...] = ()
    #: The match that reached this node last, if it is of `#` (M2).
    serial: int = 0

    def down(self, level: str) -> TopicNode | None:
        """The child of a level that is plain text."""
        child = self.child
        if child is not None:
            return child if self.key == level else None
        return self.children.get(level) if self.children is not None else None

    def make_down(self, level: str) -> TopicNode:
        """The same; it is made if it is not there."""
        found = self.down(level)
        if found is not None:
            return found
        made = TopicNode()
        level = sys.intern(level)
        if self.children is not None:
            self.children[level] = made
        elif self.child is not None:
            self.children = {self.key: self.child, level: made}
            self.key = ""
            self.child = None
        else:
            self.key = level
            self.child = made
        return made

    def drop(self, level: str) -> None:
        """Take the child of a level out."""
        if self.child is not None:
            self.key = ""
            self.child = None
            return
        assert self.children is not None
        del self.children[level]
        if not self.children:
            self.children = None

    def add(self, subscription: Subscription) -> None:
        """File a subscription here."""
        if self.subscriptions is not None:
            self.subscriptions.append(subscription)
        elif self.subscription is not None:
            self.subscriptions = [self.subscription, subscription]
            self.subscription = None
        else:
            self.subscription = subscription

    def discard(self, subscription: Subscription) -> None:
        """Take a subscription out."""
        if self.subscription is subscription:
            self.subscription = None
            return
        assert self.subscriptions is not None
        self.subscriptions.remove(subscription)
        if not self.subscriptions:
            self.subscriptions = None

    def collect(self, found: list[Subscription]) -> None:
        """Add the subscriptions that are filed here to `found`."""
        if self.subscription is not None:
            found.append(self.subscription)
        elif self.subscriptions is not None:
            found.extend(self.subscriptions)

    def goes_on(self) -> bool:
        """Something is filed below it, but for what a `#` at the end takes in."""
        return (
            self.child is not None
            or self.children is not None
            or self.one_level is not None
            or self.any_levels is not None
        )

    def is_empty(self) -> bool:
        """Nothing is filed here or below."""
        return (
            not self.goes_on()
            and self.tailed is None
            and self.subscription is None
            and self.subscriptions is None
            and self.characters is None
        )


class TopicTree:
    """Topics and subscriptions of one queue manager."""

    def __init__(self) -> None:
        self.root = TopicNode()
        self.administrative = AdministrativeNode(0)
        #: Grows with every change of a TOPIC object; who remembers attributes compares it.
        self.generation = 1
        self.subscription_count = 0
        #: How many subscriptions are in the character scheme with a wildcard.
        self.character_count = 0
        self._serial = 0
        self._tails: dict[tuple[str, ...], tuple[str, ...]] = {}

    # -- administrative topics ------------------------------------------------------------------------------------

    def define(self, definition: MQObject) -> None:
        """A TOPIC object is new or was changed."""
        if definition.name == DEFAULT_TOPIC:
            return
        self._administrative_node(definition.text("TOPICSTR")).definition = definition
        self.generation += 1

    def remove(self, definition: MQObject) -> None:
        """A TOPIC object is gone."""
        if definition.name == DEFAULT_TOPIC:
            return
        node = self._administrative_node(definition.text("TOPICSTR"))
        if node.definition is definition:
            node.definition = None
            self.generation += 1

    def object_at(self, topic_string: str) -> MQObject | None:
        """The TOPIC object with exactly this topic string."""
        return self._administrative_node(topic_string).definition

    def _administrative_node(self, topic_string: str) -> AdministrativeNode:
        node = self.administrative
        if not topic_string:
            return node
        levels = topic_string.split("/")
        below = len(levels) > 1 and not levels[-1]
        if below:
            levels.pop()
        for level in levels:
            child = node.children.get(level)
            if child is None:
                child = node.children[level] = AdministrativeNode(node.depth + 1)
            node = child
        if not below:
            return node
        if node.below is None:
            node.below = AdministrativeNode(node.depth)
        return node.below

    def attributes(self, topic_string: str) -> TopicAttributes:
        """Return the attributes in force at a topic."""
        return self.attributes_at(topic_string.split("/"))

    def open(self, topic_string: str) -> OpenTopic:
        """Open a topic for output."""
        levels = topic_string.split("/")
        return OpenTopic(topic_string, levels, self.attributes_at(levels), self.generation)

    def current(self, topic: OpenTopic) -> TopicAttributes:
        """Return the attributes in force now at a topic that is open."""
        if topic.generation != self.generation:
            topic.attributes = self.attributes_at(topic.levels)
            topic.generation = self.generation
        return topic.attributes

    def attributes_at(self, levels: list[str]) -> TopicAttributes:
        """Return the attributes in force at the topic with these levels."""
        node = self.administrative
        closest = node
        if node.children:
            for level in levels:
                if node.below is not None and node.below.definition is not None:
                    closest = node.below
                child = node.children.get(level)
                if child is None:
                    break
                node = child
                if node.definition is not None:
                    closest = node
        known = closest.attributes
        if known is None or closest.resolved != self.generation:
            known = closest.attributes = self._resolve(levels, closest)
            closest.resolved = self.generation
        return known

    def ancestors(self, topic_string: str) -> list[MQObject]:
        """The TOPIC objects at and above a topic, the closest first; the authority is asked in this order."""
        result: list[MQObject] = []
        for node in self._chain(topic_string.split("/")):
            if node.definition is not None:
                result.append(node.definition)
        result.reverse()
        return result

    def _chain(self, levels: list[str]) -> list[AdministrativeNode]:
        """The nodes with objects from the root to a topic; the root is always there."""
        node = self.administrative
        result = [node]
        for level in levels:
            if node.below is not None and node.below.definition is not None:
                result.append(node.below)
            child = node.children.get(level)
            if child is None:
                break
            node = child
            if node.definition is not None:
                result.append(node)
        return result

    def _resolve(self, levels: list[str], closest: AdministrativeNode) -> TopicAttributes:
        values: dict[str, Value] = dict(BASE_VALUES)
        name = topic_string = ""
        blocked = 0
        for node in self._chain(levels):
            definition = node.definition
            if definition is not None:
                for keyword in BASE_VALUES:
                    value = definition.attributes[keyword]
                    if value != "ASPARENT" and value != "":
                        values[keyword] = value
                values["CAPEXPRY"] = cap_of(definition.attributes) or values["CAPEXPRY"]  # It may be in CUSTOM.
                name = definition.name
                topic_string = definition.text("TOPICSTR")
                if definition.text("WILDCARD") == "BLOCK":
                    blocked = node.depth
            if node is closest:
                break
        return TopicAttributes(name, topic_string, values, blocked)

    # -- subscriptions --------------------------------------------------------------------------------------------

    def add(self, subscription: Subscription) -> None:
        """File a subscription by its topic string."""
        self.subscription_count += 1
        if subscription.wildcard != WILDCARD_CHAR:
            self._file(subscription, subscription.topic_string.split("/"), False)
            return
        path = CharacterPath(subscription.topic_string)
        if path.is_plain:
            self._file(subscription, path.levels, True)
            return
        node = self.root
        for level in path.levels:
            self._push_down(node, True)
            node = node.make_down(level)
        if node.characters is None:
            node.characters = CharacterPatterns()
        node.characters.add(CharacterPattern(subscription, path.plain, path.rest))
        self.character_count += 1

    def _file(self, subscription: Subscription, levels: list[str], plain: bool) -> None:
        node = self.root
        below_loop = False
        for at in range(len(levels)):
            level = levels[at]
            if node.tailed is not None:
                self._push_down(node, False)
            if not below_loop and not node.goes_on() and not plain:
                node.tailed = subscription
                node.tail = self._shared(levels[at:])
                return
            if level == "#" and not plain:
                below_loop = True
            node = step_down(node, level, plain)
        node.add(subscription)

    def _push_down(self, node: TopicNode, plain: bool) -> None:
        """Another subscription comes this way: the one with the tail goes one level down."""
        subscription = node.tailed
        if subscription is None:
            return
        tail = node.tail
        node.tailed = None
        node.tail = ()
        below = step_down(node, tail[0], False)
        if tail[0] == "#":
            for level in tail[1:]:
                below = step_down(below, level, False)
            below.add(subscription)
        elif len(tail) == 1:
            below.add(subscription)
        else:
            below.tailed = subscription
            below.tail = self._shared(list(tail[1:]))

    def _shared(self, levels: list[str]) -> tuple[str, ...]:
        """The tail with these levels; equal ones are one object while there are not too many."""
        tail = tuple([sys.intern(level) for level in levels])
        if len(self._tails) > TAILS_KEPT_MAX:
            self._tails = {}
        return self._tails.setdefault(tail, tail)

    def discard(self, subscription: Subscription) -> None:
        """Take a subscription out, and the levels that nobody needs any more."""
        self.subscription_count -= 1
        levels = subscription.topic_string.split("/")
        path: CharacterPath | None = None
        if subscription.wildcard == WILDCARD_CHAR:
            path = CharacterPath(subscription.topic_string)
            levels = path.levels
        nodes = [self.root]
        while nodes[-1].tailed is not subscription and len(nodes) <= len(levels):
            following = child_of(nodes[-1], levels[len(nodes) - 1], path is not None)
            assert following is not None, f"{subscription.topic_string} is not filed"
            nodes.append(following)
        node = nodes[-1]
        if node.tailed is subscription:
            node.tailed = None
            node.tail = ()
        elif path is not None and not path.is_plain:
            assert node.characters is not None
            node.characters.remove(subscription, path.plain)
            self.character_count -= 1
            if not node.characters.by_plain:
                node.characters = None
        else:
            node.discard(subscription)
        at = len(nodes) - 1
        while at and nodes[at].is_empty():
            at -= 1
            drop_child(nodes[at], levels[at], path is not None)

    def at(self, topic_string: str) -> list[Subscription]:
        """The subscriptions with exactly this topic string, whatever it means."""
        result: list[Subscription] = []
        node: TopicNode | None = self.root
        levels = topic_string.split("/")
        for at in range(len(levels)):
            if node is None:
                return result
            if node.tailed is not None and node.tail == tuple(levels[at:]):
                result.append(node.tailed)
            node = child_of(node, levels[at], False)
        if node is not None:
            node.collect(result)
        return result

    # -- matching -------------------------------------------------------------------------------------------------

    def match(self, topic_string: str) -> list[Subscription]:
        """The subscriptions that a publication on `topic_string` is for. The list is not the caller's to change."""
        levels = topic_string.split("/")
        return self.match_at(topic_string, levels, self.attributes_at(levels).blocked)

    def match_at(self, topic_string: str, levels: list[str], blocked: int) -> list[Subscription]:
        """The same, for who knows the levels already and how many of them must be plain."""
        start = self.root
        for at in range(blocked):
            if start.tailed is not None:
                return match_plainly(start, levels, at, blocked)
            below = start.down(levels[at])
            if below is None:
                return []
            start = below
        found: list[Subscription] = []
        if self.character_count:
            find_by_characters(start, topic_string, levels, blocked, found)
        first = blocked
        while first < len(levels) and start.tailed is None and start.any_levels is None:
            child = start.down(levels[first])
            one_level = start.one_level
            if child is not None and one_level is not None:
                break  # Up to here there was one way only.
            if child is None:
                child = one_level
                if child is None:
                    return found
            start = child
            first += 1
        if start.tailed is not None:
            if tail_matches(start.tail, levels, first):
                found.append(start.tailed)
            return with_node(found, start) if first == len(levels) else found
        return self._match_all(levels, start, first, found)

    def _match_all(
        self, levels: list[str], start: TopicNode, first: int, found: list[Subscription]
    ) -> list[Subscription]:
        """From `start` on, which `first` levels lead to, where there may be several ways at once."""
        self._serial += 1
        serial = self._serial
        reached = [start]
        loops: list[TopicNode] = []
        any_levels = start.any_levels
        if any_levels is not None:
            self._enter(any_levels, serial, loops, found)
        for at in range(first, len(levels)):
            level = levels[at]
            if loops:
                reached.extend(loops)
            following: list[TopicNode] = []
            for node in reached:
                if node.tailed is not None:
                    if tail_matches(node.tail, levels, at):
                        found.append(node.tailed)
                    continue
                child = node.down(level)
                if child is not None:
                    following.append(child)
                    any_levels = child.any_levels
                    if any_levels is not None:
                        self._enter(any_levels, serial, loops, found)
                one_level = node.one_level
                if one_level is not None:
                    following.append(one_level)
                    any_levels = one_level.any_levels
                    if any_levels is not None:
                        self._enter(any_levels, serial, loops, found)
            reached = following
            if not reached and not loops:
                return found
        for node in reached:
            if node.tailed is not None and tail_matches(node.tail, levels, len(levels)):
                found = [*found, node.tailed]
            found = with_node(found, node)
        return found

    def _enter(self, node: TopicNode, serial: int, loops: list[TopicNode], found: list[Subscription]) -> None:
        """A node of `#` is reached: what ends with it is found, what goes on is tried at every level from here on."""
        while node.serial != serial:
            node.serial = serial
            node.collect(found)
            if node.goes_on():
                loops.append(node)
            if node.any_levels is None:
                return
            node = node.any_levels


def find_by_characters(
    node: TopicNode, topic_string: str, levels: list[str], depth: int, found: list[Subscription]
) -> None:
    """The subscriptions of the character scheme, from `node` on, which is reached by `depth` plain levels."""
    offset = 0
    for at in range(depth):
        offset += len(levels[at]) + 1
    for at in range(depth, len(levels)):
        if node.characters is not None:
            node.characters.find(topic_string[offset:], found)
        level = levels[at]
        child = node.down(level)
        if child is None:
            return
        offset += len(level) + 1
        node = child


def with_node(found: list[Subscription], node: TopicNode) -> list[Subscription]:
    """`found` and what is filed at `node`; a long list is not copied if it is all there is."""
    here = node.subscriptions
    if here is not None:
        return found + here if found else here
    if node.subscription is not None:
        return [*found, node.subscription] if found else [node.subscription]
    return found


def match_plainly(node: TopicNode, levels: list[str], at: int, blocked: int) -> list[Subscription]:
    """The subscription with the tail of `node`, if the levels up to `blocked` are plain in it."""
    tail = node.tail
    if len(tail) < blocked - at:
        return []
    for number in range(at, blocked):
        if tail[number - at] != levels[number]:
            return []
    assert node.tailed is not None
    return [node.tailed] if tail_matches(tail[blocked - at :], levels, blocked) else []


def tail_matches(tail: tuple[str, ...], levels: list[str], start: int) -> bool:
    """Whether the levels from `start` on are meant by a tail. As `tokens_match`, with levels for characters."""
    at = start
    number = 0
    loop = -1
    loop_at = 0
    while at < len(levels):
        wanted = tail[number] if number < len(tail) else ""
        if number < len(tail) and wanted == "#":
            loop = number
            loop_at = at
            number += 1
        elif number < len(tail) and (wanted == levels[at] or wanted == "+"):
            number += 1
            at += 1
        elif loop >= 0:
            loop_at += 1
            at = loop_at
            number = loop + 1
        else:
            return False
    while number < len(tail) and tail[number] == "#":
        number += 1
    return number == len(tail)


def step_down(node: TopicNode, level: str, plain: bool) -> TopicNode:
    """The node that a level of a subscription's topic string leads to; it is made if it is not there."""
    if not plain and level == "+":
        if node.one_level is None:
            node.one_level = TopicNode()
        return node.one_level
    if not plain and level == "#":
        if node.any_levels is None:
            node.any_levels = TopicNode()
        return node.any_levels
    return node.make_down(level)


def child_of(node: TopicNode, level: str, plain: bool) -> TopicNode | None:
    """The node that a level of a subscription's topic string leads to."""
    if not plain and level == "+":
        return node.one_level
    if not plain and level == "#":
        return node.any_levels
    return node.down(level)


def drop_child(node: TopicNode, level: str, plain: bool) -> None:
    """Take the node of a level out."""
    if not plain and level == "+":
        node.one_level = None
    elif not plain and level == "#":
        node.any_levels = None
    else:
        node.drop(level)
