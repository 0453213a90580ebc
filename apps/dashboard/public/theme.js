// Sets the chosen theme before the first paint. A separate file, because the content policy forbids inline scripts.
;(() => {
  try {
    const theme = localStorage.getItem('ars.theme')
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
  } catch {
    // The browser forbids storage: the theme of the system is used.
  }
})()
