"""The sheet of labels."""

from room.cards.labels import label_sheet


def test_a_label_for_each_board() -> None:
    boards = {"1": "red-1", "2": "red-2"}
    sheet = label_sheet("open-2026", "http://192.168.8.2:8037/", "my-own-token", boards)
    assert sheet.count("<svg") == 3
    director, others = sheet.split("</section>")[:2]
    assert "?token=my-own-token" in director
    assert "?token=" not in others
    assert "http://192.168.8.2:8037/board/1</p>" in others
