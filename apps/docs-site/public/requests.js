// The language that a reader chooses for one request is shown for all, and on the next page.
const groups = document.querySelectorAll('.requests')

const show = (language) => {
  for (const group of groups) {
    const choice = group.querySelector(`input[value="${CSS.escape(language)}"]`)
    if (choice) choice.checked = true
  }
}

const stored = () => {
  try {
    return localStorage.getItem('request-language')
  } catch {
    return null // The reader's browser stores nothing.
  }
}

const language = stored()
if (language) show(language)

for (const group of groups) {
  group.addEventListener('change', ({ target }) => {
    const { top } = group.getBoundingClientRect()
    show(target.value)
    // Blocks above have another height now.
    scrollBy(0, group.getBoundingClientRect().top - top)
    try {
      localStorage.setItem('request-language', target.value)
    } catch {
      // The choice holds for this page.
    }
  })
}
