"""For nbgrader: the solutions are its source, and where students write stands one line instead of an error."""

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "distance-encoding"
c.CourseDirectory.source_directory = "solutions"
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE"}
