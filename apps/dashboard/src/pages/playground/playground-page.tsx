export const PlaygroundPage = () => null
