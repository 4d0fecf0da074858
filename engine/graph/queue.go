package graph

import "container/heap"

// queue holds indices of keys, the smallest first.
type queue []int

func (q *queue) push(i int) { heap.Push((*items)(q), i) }
func (q *queue) pop() int   { return heap.Pop((*items)(q)).(int) }

// items is a queue as container/heap wants to see it.
type items []int

func (q items) Len() int           { return len(q) }
func (q items) Less(i, j int) bool { return q[i] < q[j] }
func (q items) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *items) Push(x any)        { *q = append(*q, x.(int)) }
func (q *items) Pop() any {
	last := len(*q) - 1
	x := (*q)[last]
	*q = (*q)[:last]
	return x
}
