//! What the shell itself says, in English and Chinese: tray, notices and the one dialog before there is a page.
//! The page has a catalogue of its own.

/// The shell's sentences in one language.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Words {
    /// Tray: bring the window forward.
    pub open: &'static str,
    /// Tray: leave.
    pub quit: &'static str,
    /// Title of the notice that a card waits.
    pub approval: &'static str,
    /// Title of the notice that a question waits.
    pub question: &'static str,
    /// Title of the notice that a long turn ended.
    pub ended: &'static str,
    /// Before the reason why the data folder can't be opened.
    pub cannot_open: &'static str,
}

const ENGLISH: Words = Words {
    open: "Open Assent",
    quit: "Quit",
    approval: "An approval is needed",
    question: "A question for you",
    ended: "Done",
    cannot_open: "Assent can't open its data folder.",
};

const CHINESE: Words = Words {
    open: "打开 Assent",
    quit: "退出",
    approval: "需要批准",
    question: "有一个问题想问您",
    ended: "已完成",
    cannot_open: "Assent 无法打开数据文件夹。",
};

/// The words in the language that was set, or else in the session's.
pub(crate) fn words(set: Option<&str>) -> &'static Words {
    let is_chinese = match set {
        Some(language) => language.starts_with("zh"),
        None => ["LC_ALL", "LC_MESSAGES", "LANG"]
            .iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|value| !value.is_empty())
            .is_some_and(|value| value.starts_with("zh")),
    };
    if is_chinese { &CHINESE } else { &ENGLISH }
}
