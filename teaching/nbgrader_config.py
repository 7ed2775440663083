"""For nbgrader: source/lesson has the notebooks with solutions; a student's cell has one comment line, no error."""

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "distance-encoding"
c.ClearSolutions.code_stub = {"python": "# YOUR CODE HERE"}
