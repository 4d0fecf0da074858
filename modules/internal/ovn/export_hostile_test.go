package ovn

// MostTaken is the limit that tests count against.
const MostTaken = mostTaken
