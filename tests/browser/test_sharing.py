"""Is a result shared with a picture, a text and an address?"""

from playwright.sync_api import BrowserContext, Page, expect

SHARES = """navigator.share = async (what) => { window.sharedAs = what; }"""


def test_a_result_shows_its_picture_and_gives_text_and_link(context: BrowserContext, page: Page, server: str) -> None:
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.add_init_script(SHARES)
    page.goto(f"{server}/results/1/")
    expect(page.locator("h1")).to_have_text("Early Ada")
    picture = page.locator("img.result-picture")
    expect(picture).to_be_visible()
    assert picture.evaluate("async (image) => { await image.decode(); return image.naturalWidth; }") == 1200
    text = page.locator("#share-text").text_content() or ""
    assert text.startswith("Pyramidion · Endless · ")
    assert text.endswith("– 1:01.23, 58 moves, rank 1 of 2")
    page.locator("#copy").click()
    expect(page.locator("#shared")).to_have_text("Text and link copied.")
    assert page.evaluate("navigator.clipboard.readText()") == f"{text}\n{server}/results/1/"
    page.locator("#share").click()
    assert page.evaluate("window.sharedAs") == {"text": text, "url": f"{server}/results/1/"}
    page.get_by_role("link", name="Beat this").click()
    page.wait_for_url("**/play/PY1-C-AAAAAAW*")
