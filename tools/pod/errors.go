// SPDX-License-Identifier: GPL-2.0

package pod

// A Kind says whose fault an error is.
type Kind int

const (
	// the kernel does not have the module, or one that is too old
	NoModule Kind = iota + 1
	// the kernel refuses, as its sentence says, whatever the values are
	Refused
	// the kernel does not accept the values
	BadValue
	// there is no network namespace
	NoNamespace
	// the network namespace has no such interface
	NoInterface
	// the VIF is not there, or has gone meanwhile
	NoVIF
	// what is there is not what was set
	Changed
	// the interface has a name with which it has no VIF
	BadName
)

// An Error has a sentence, and a second one, which may be empty, for who wants to do something about it.
type Error struct {
	Kind            Kind
	Message, Remedy string
}

func (e *Error) Error() string {
	if e.Remedy == "" {
		return e.Message
	}
	return e.Message + "; " + e.Remedy
}

// IsOfMachine: is it the machine that cannot, whatever is asked for?
func (e *Error) IsOfMachine() bool {
	return e.Kind == NoModule || e.Kind == Refused || e.Kind == NoVIF
}

// IsGone: is there nothing left that could have a limit?
func (e *Error) IsGone() bool {
	return e.Kind == NoNamespace || e.Kind == NoInterface || e.Kind == NoModule || e.Kind == BadName
}
