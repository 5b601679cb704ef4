"""The Tape explorer on the screen, found by its roles and names as a screen reader finds it."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import FrameLocator, Locator, Page, expect

NAME = "Tape explorer"
DRAWN_WHERE_IT_STANDS = """element => {
  element.scrollIntoView({block: 'nearest'});
  return new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn)));
}"""


@dataclass(frozen=True)
class Explorer:
    """One explorer: in a page of its own, or in the frame of a notebook's output."""

    root: Locator

    @classmethod
    def within(cls, place: Page | FrameLocator | Locator) -> Explorer:
        return cls(place.get_by_role("region", name=NAME).first)

    @classmethod
    def in_frame(cls, output: Locator) -> Explorer:
        return cls.within(output.locator("iframe").first.content_frame)

    def button(self, name: str) -> Locator:
        return self.root.get_by_role("button", name=name, exact=True)

    @property
    def counter(self) -> Locator:
        """Where we are, as in `3 / 11`."""
        return self.root.get_by_role("toolbar", name="Steps").locator(".num")

    @property
    def lit(self) -> Locator:
        """The piece of code that this step is about."""
        return self.root.get_by_role("group", name="Code").locator(".hl")

    @property
    def inspector(self) -> Locator:
        return self.root.get_by_role("region", name="This step")

    @property
    def timeline(self) -> Locator:
        return self.root.get_by_role("list", name="Tape, in the order of recording")

    @property
    def graph(self) -> Locator:
        return self.root.get_by_role("tree", name="Graph")

    def stands_at(self, step: int, of: int) -> None:
        expect(self.counter).to_have_text(f"{step} / {of}")

    def steps(self) -> int:
        """How many steps there are in all."""
        return int(self.counter.inner_text().split("/")[1])

    def come_into_view(self) -> None:
        """Scroll to the picture and wait until it has been drawn there.

        The frame of a notebook's output is a process of its own. Until it has drawn itself where
        it has been scrolled to, the browser gives a click on it to the page around it, and a test
        is fast enough to click before.
        """
        expect(self.root).to_be_visible()
        self.button("Step").or_(self.button("Show on the tape")).first.evaluate(
            DRAWN_WHERE_IT_STANDS
        )

    def show_the_tape(self) -> None:
        """Leave the explanation of a missing gradient, where the picture opens on one."""
        self.come_into_view()
        way = self.button("Show on the tape")
        if way.is_visible():
            way.click()

    def leap_to_the_end_and_back(self) -> None:
        """To the last step and to the first, and a step from each."""
        self.show_the_tape()
        of = self.steps()
        assert of > 2
        for end, stands, towards, then in (
            ("Last step", of, "Step back", of - 1),
            ("First step", 0, "Step", 1),
        ):
            if self.button(end).is_enabled():
                self.button(end).click()
            self.stands_at(stands, of)
            self.button(towards).click()
            self.stands_at(then, of)

    def click_to_the_end_and_back(self) -> None:
        """Press Step until it is spent, then Step back until that is."""
        self.show_the_tape()
        of = self.steps()
        assert of > 1
        if self.button("First step").is_enabled():
            self.button("First step").click()
        self.stands_at(0, of)
        for step in range(1, of + 1):
            self.button("Step").click()
            self.stands_at(step, of)
        expect(self.button("Step")).to_be_disabled()
        for step in range(of - 1, -1, -1):
            self.button("Step back").click()
            self.stands_at(step, of)
        expect(self.button("Step back")).to_be_disabled()
