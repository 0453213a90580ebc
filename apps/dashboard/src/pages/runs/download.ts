/** Saves a value as a file. The browser downloads it; nothing is sent. */
export const downloadJson = (value: unknown, name: string): void => {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}.json`
  link.click()
  URL.revokeObjectURL(url)
}
